/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The user-stack walk: one frame per step, each step choosing how to find its caller.
 *
 * The state lives in map memory and each step is a global function, which the verifier checks once
 * by itself; the loop around it stays trivial however deep stacks may be. Further ways of finding a
 * caller (unwind tables, runtime frames) are further branches of unwind_step(), chosen by the pc.
 */
#ifndef PERFGAP_BPF_UNWIND_H
#define PERFGAP_BPF_UNWIND_H

#include "registers_x86_64.h"
#include "wire.h"

struct unwind_state {
  struct user_registers at;
  __u32 outcome; /* enum unwind_outcome, meaningful once a step has returned 0 */
  __u32 reserved;
};

static __always_inline int is_user_address(__u64 address) {
  return address >= 4096 && address < USER_ADDRESS_LIMIT;
}

static __always_inline int end_walk(struct unwind_state* state, enum unwind_outcome outcome) {
  state->outcome = outcome;
  return 0;
}

/* The caller by the frame record {caller's frame pointer, return address} that fp points at. */
static __always_inline int step_by_frame_pointer(struct unwind_state* state) {
  __u64 record[2];
  __u64 fp = state->at.fp;

  if (fp == 0) return end_walk(state, UNWIND_ZERO_FRAME_POINTER);
  if ((fp & 7) || !is_user_address(fp)) return end_walk(state, UNWIND_BAD_FRAME_POINTER);
  if (bpf_probe_read_user(record, sizeof(record), (const void*)fp))
    return end_walk(state, UNWIND_READ_FAULT);
  if (record[0] == fp || !is_user_address(record[1]))
    return end_walk(state, record[1] == 0 && record[0] == 0 ? UNWIND_ZERO_FRAME_POINTER
                                                            : UNWIND_BAD_FRAME_POINTER);
  state->at.fp = record[0];
  state->at.pc = record[1];
  state->at.sp = fp + sizeof(record);
  return 1;
}

/* Moves to the caller's frame: 1, or 0 with the outcome set. */
__noinline int unwind_step(struct unwind_state* state) {
  if (!state) return 0;
  return step_by_frame_pointer(state);
}

/* Writes the pcs from `start` outwards, leaf first, and returns how many. */
static __always_inline __u32 unwind_user_stack(struct unwind_state* state,
                                               __u64 addresses[WIRE_MAX_USER_FRAMES]) {
  __u32 depth;

  for (depth = 0; depth < WIRE_MAX_USER_FRAMES; depth++) {
    addresses[depth] = state->at.pc;
    if (!unwind_step(state)) return depth + 1;
  }
  state->outcome = UNWIND_TOO_DEEP;
  return WIRE_MAX_USER_FRAMES;
}

#endif
