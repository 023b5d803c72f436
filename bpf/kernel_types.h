/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The few kernel types that the programs read, with only the members used; CO-RE relocates them at
 * load against the running kernel's BTF. Hand-written so that a build needs no kernel of its own.
 */
#ifndef PERFGAP_BPF_KERNEL_TYPES_H
#define PERFGAP_BPF_KERNEL_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* include/uapi/linux/bpf.h */
enum { BPF_ANY = 0 };
enum bpf_map_type {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6,
  BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_RB_AVAIL_DATA = 0 };

/* include/linux/sched.h */
enum {
  PF_IO_WORKER = 0x00000010,
  PF_USER_WORKER = 0x00004000,
  PF_KTHREAD = 0x00200000,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
  int counter;
} atomic_t;

struct sched_entity {
  __u64 sum_exec_runtime;
};

struct sched_info {
  unsigned long long run_delay;
};

struct signal_struct {
  atomic_t live;
};

struct task_struct {
  unsigned int flags;
  struct sched_entity se;
  struct sched_info sched_info;
  int exit_code;
  int pid;
  int tgid;
  struct signal_struct* signal;
  char comm[16];
};

#pragma clang attribute pop

#endif
