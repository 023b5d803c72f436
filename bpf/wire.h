/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Every structure that the BPF programs and user space share. Sizes are asserted on both sides.
 *
 * Times are CLOCK_MONOTONIC nanoseconds (bpf_ktime_get_ns). Process ids are those of the initial
 * pid namespace. */
#ifndef PERFGAP_BPF_WIRE_H
#define PERFGAP_BPF_WIRE_H

#ifdef __bpf__
#include "kernel_types.h"
#else
#include <linux/types.h>
#endif

#define WIRE_COMM_BYTES 16
#define WIRE_MAX_USER_FRAMES 512
#define WIRE_MAX_KERNEL_FRAMES 127 /* kernel.perf_event_max_stack's default */
#define WIRE_MAX_TARGETS 16384

/* Why a walk of a user stack ended. */
enum unwind_outcome {
  UNWIND_ZERO_FRAME_POINTER = 0, /* the end of a chain, to be checked against known entries */
  UNWIND_NO_USER_STACK = 1,
  UNWIND_BAD_FRAME_POINTER = 2, /* not aligned, not a user address, or pointing at itself */
  UNWIND_READ_FAULT = 3,
  UNWIND_TOO_DEEP = 4,
};

/* Why something that should have been delivered was not. Index into the `losses` map. */
enum loss_cause {
  LOSS_RING_FULL = 0,
  LOSS_TARGETS_FULL = 1, /* a child not followed: the table of processes is full */
  LOSS_CHILD_RECORD = 2, /* ring full at a fork: the child's start is seen late */
  LOSS_EXIT_RECORD = 3,  /* ring full when a thread ended: its CPU time is not known exactly */
  LOSS_CAUSES = 4,
};

enum record_kind {
  RECORD_SAMPLE = 1,
  RECORD_THREAD_EXIT = 2,
  RECORD_CHILD = 3, /* a followed process forked */
};

struct record_header {
  __u32 kind;
  __u32 cpu;
  __u64 time_ns;
  __u32 pid;
  __u32 tid;
};

/* Followed by user_frames, then kernel_frames addresses, each leaf first. */
struct sample_record {
  struct record_header header;
  char thread_name[WIRE_COMM_BYTES];
  __u64 weight; /* the event's period */
  __u32 outcome;
  __u16 kernel_frames;
  __u16 user_frames;
};

struct thread_exit_record {
  struct record_header header;
  char thread_name[WIRE_COMM_BYTES];
  __u64 cpu_ns;
  __u64 wait_ns;
  __u32 exit_code;  /* as in wait(2) */
  __u32 group_dead; /* 1: the last thread of its process */
};

struct child_record {
  struct record_header header; /* of the parent */
  __u32 child_pid;
  __u32 reserved;
};

/* Set by user space before the programs run. */
struct sampler_config {
  __u32 follow_children;
  __u32 wakeup_bytes; /* wake the reader early once this much waits in the ring */
};

#ifdef __cplusplus
#define WIRE_ASSERT static_assert
#else
#define WIRE_ASSERT _Static_assert
#endif
WIRE_ASSERT(sizeof(struct record_header) == 24, "wire layout");
WIRE_ASSERT(sizeof(struct sample_record) == 56, "wire layout");
WIRE_ASSERT(sizeof(struct thread_exit_record) == 64, "wire layout");
WIRE_ASSERT(sizeof(struct child_record) == 32, "wire layout");

#endif
