// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* The sampler: on each event, one record of the interrupted thread if its process is wanted; on
 * fork and exit, the set of wanted processes is kept and CPU times that /proc would lose are sent.
 */
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "unwind.h"
#include "wire.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct sampler_config config;

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, WIRE_MAX_TARGETS);
  __type(key, __u32);  /* process id */
  __type(value, __u8); /* always 1 */
} targets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 * 1024 * 1024); /* user space may set another size before load */
} records SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, LOSS_CAUSES);
  __type(key, __u32);
  __type(value, __u64);
} losses SEC(".maps");

/* A sample while it is put together; too large for the BPF stack. */
struct sample_scratch {
  struct unwind_state unwind;
  struct sample_record record;
  __u64 addresses[WIRE_MAX_USER_FRAMES + WIRE_MAX_KERNEL_FRAMES];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct sample_scratch);
} scratch SEC(".maps");

static __always_inline void count_loss(__u32 cause) {
  __u64* count = bpf_map_lookup_elem(&losses, &cause);
  if (count) *count += 1;
}

static __always_inline int is_target(__u32 pid) {
  return bpf_map_lookup_elem(&targets, &pid) != 0;
}

static __always_inline void fill_header(struct record_header* header, __u32 kind) {
  __u64 ids = bpf_get_current_pid_tgid();

  header->kind = kind;
  header->cpu = bpf_get_smp_processor_id();
  header->time_ns = bpf_ktime_get_ns();
  header->pid = ids >> 32;
  header->tid = (__u32)ids;
}

/* No wake-up for each record: that costs more than the sample. The reader polls; this is for bursts
 * between its polls. */
static __always_inline __u64 wakeup_flags(void) {
  return bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) >= config.wakeup_bytes ? BPF_RB_FORCE_WAKEUP
                                                                               : BPF_RB_NO_WAKEUP;
}

/* The registers a user-stack walk starts from; 0 where the thread has no user mode. */
static __always_inline int start_of_user_stack(const struct sample_context* ctx,
                                               struct user_registers* out) {
  struct task_struct* task;

  if (in_user_mode(ctx)) {
    registers_of_context(ctx, out);
    return 1;
  }
  task = (struct task_struct*)bpf_get_current_task_btf();
  if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)) return 0;
  registers_of_task(task, out);
  return 1;
}

SEC("perf_event")
int sample_event(struct sample_context* ctx) {
  __u32 pid = bpf_get_current_pid_tgid() >> 32;
  __u32 zero = 0;
  __u32 user_frames = 0;
  long kernel_bytes = 0;
  __u64 bytes;
  struct sample_scratch* sample;

  if (!is_target(pid)) return 0;
  sample = bpf_map_lookup_elem(&scratch, &zero);
  if (!sample) return 0;

  fill_header(&sample->record.header, RECORD_SAMPLE);
  bpf_get_current_comm(sample->record.thread_name, sizeof(sample->record.thread_name));
  sample->record.weight = ctx->sample_period;

  if (start_of_user_stack(ctx, &sample->unwind.at))
    user_frames = unwind_user_stack(&sample->unwind, sample->addresses);
  else
    sample->unwind.outcome = UNWIND_NO_USER_STACK;
  if (user_frames > WIRE_MAX_USER_FRAMES) return 0; /* for the verifier; cannot be */

  if (!in_user_mode(ctx))
    kernel_bytes = bpf_get_stack(ctx, &sample->addresses[user_frames],
                                 WIRE_MAX_KERNEL_FRAMES * sizeof(__u64), 0);
  if (kernel_bytes < 0) kernel_bytes = 0;
  if (kernel_bytes > (long)(WIRE_MAX_KERNEL_FRAMES * sizeof(__u64)))
    kernel_bytes = WIRE_MAX_KERNEL_FRAMES * sizeof(__u64);

  sample->record.outcome = sample->unwind.outcome;
  sample->record.user_frames = user_frames;
  sample->record.kernel_frames = kernel_bytes / sizeof(__u64);

  bytes = sizeof(sample->record) + user_frames * sizeof(__u64) + (__u64)kernel_bytes;
  if (bytes > sizeof(sample->record) + sizeof(sample->addresses)) return 0; /* as above */
  if (bpf_ringbuf_output(&records, &sample->record, bytes, wakeup_flags()))
    count_loss(LOSS_RING_FULL);
  return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_forked, struct task_struct* parent, struct task_struct* child) {
  __u32 parent_pid = parent->tgid;
  __u32 child_pid = child->tgid;
  __u8 present = 1;
  struct child_record* record;

  if (!config.follow_children || child_pid == parent_pid || !is_target(parent_pid)) return 0;
  if (bpf_map_update_elem(&targets, &child_pid, &present, BPF_ANY)) {
    count_loss(LOSS_TARGETS_FULL);
    return 0;
  }
  record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
  if (!record) {
    count_loss(LOSS_CHILD_RECORD);
    return 0;
  }
  fill_header(&record->header, RECORD_CHILD);
  record->header.pid = parent_pid;
  record->child_pid = child_pid;
  record->reserved = 0;
  bpf_ringbuf_submit(record, wakeup_flags());
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(thread_exited, struct task_struct* task) {
  __u32 pid = task->tgid;
  int last = BPF_CORE_READ(task, signal, live.counter) == 0;
  struct thread_exit_record* record;

  if (!is_target(pid)) return 0;
  record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
  if (record) {
    fill_header(&record->header, RECORD_THREAD_EXIT);
    record->header.pid = pid;
    record->header.tid = task->pid;
    BPF_CORE_READ_STR_INTO(&record->thread_name, task, comm);
    record->cpu_ns = task->se.sum_exec_runtime;
    record->wait_ns = task->sched_info.run_delay;
    record->exit_code = task->exit_code;
    record->group_dead = last;
    bpf_ringbuf_submit(record, wakeup_flags());
  } else {
    count_loss(LOSS_EXIT_RECORD);
  }
  if (last) bpf_map_delete_elem(&targets, &pid);
  return 0;
}
