/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Where the interrupted registers are found on x86-64: in the sample's context, or saved at the
 * last kernel entry. */
#ifndef PERFGAP_BPF_REGISTERS_X86_64_H
#define PERFGAP_BPF_REGISTERS_X86_64_H

#include "kernel_types.h"

/* Context of a perf_event program: struct bpf_perf_event_data with the registers in user space's
 * layout (arch/x86/include/uapi/asm/ptrace.h). Every member is loaded whole: the verifier refuses
 * narrower loads of some. */
struct sample_context {
  __u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8;
  __u64 rax, rcx, rdx, rsi, rdi, orig_rax;
  __u64 rip, cs, eflags, rsp, ss;
  __u64 sample_period;
  __u64 addr;
};

/* The kernel's own saved registers; the suffix is a CO-RE flavour and not part of the name. */
struct pt_regs___task {
  unsigned long bp;
  unsigned long ip;
  unsigned long sp;
} __attribute__((preserve_access_index));

struct user_registers {
  __u64 pc;
  __u64 sp;
  __u64 fp;
};

#define USER_ADDRESS_LIMIT 0x00007ffffffff000ULL /* TASK_SIZE_MAX with 4 levels of page tables */

static __always_inline int in_user_mode(const struct sample_context* ctx) {
  return (*(const volatile __u64*)&ctx->cs & 3) != 0;
}

static __always_inline void registers_of_context(const struct sample_context* ctx,
                                                 struct user_registers* out) {
  /* Volatile: merged with the other branch's loads, they would go through a modified context
   * pointer. */
  out->pc = *(const volatile __u64*)&ctx->rip;
  out->sp = *(const volatile __u64*)&ctx->rsp;
  out->fp = *(const volatile __u64*)&ctx->rbp;
}

static __always_inline void registers_of_task(struct task_struct* task,
                                              struct user_registers* out) {
  struct pt_regs___task* saved = (struct pt_regs___task*)bpf_task_pt_regs(task);
  out->pc = BPF_CORE_READ(saved, ip);
  out->sp = BPF_CORE_READ(saved, sp);
  out->fp = BPF_CORE_READ(saved, bp);
}

#endif
