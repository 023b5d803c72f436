// The kernel's rules: boundaries by name, and whole stacks as they were seen under load.
#include <gtest/gtest.h>

#include <string>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr FrameKind kKernel = FrameKind::kernel;

constexpr Claim claim(std::string_view category, std::string_view function,
                      std::string_view under = {}) {
  return {.category = category, .function = function, .kind = kKernel, .under = under};
}

constexpr Claim kKernelClaims[] = {
    claim(kTransparent, "pvm_irq_enable"),
    claim(kTransparent, "__raw_callee_save_pvm_irq_enable"),
    claim(kTransparent, "_raw_spin_unlock_irqrestore"),
    claim(kTransparent, "_raw_spin_unlock_irq"),
    claim(kTransparent, "_raw_spin_unlock_bh"),
    claim(kTransparent, "__local_bh_enable_ip"),
    claim(kTransparent, "__raw_callee_save_xen_irq_enable"),
    claim(kTransparent, "__x86_indirect_thunk_rax"),
    claim(kTransparent, "srso_alias_return_thunk"),
    claim("mem.copy", "rep_movs_alternative"),
    claim("mem.copy", "_copy_to_iter"),
    claim("mem.copy", "_copy_from_iter"),
    claim("mem.copy", "_copy_from_user"),
    claim("mem.copy", "copy_user_enhanced_fast_string"),
    claim("mem.copy", "memcpy_orig"),
    claim("mem.copy", "__memset"),

    claim("kernel.profiler", "perf_event_overflow"),
    claim("kernel.profiler", "perf_callchain_user"),
    claim("kernel.profiler", "perf_output_sample"),
    claim("kernel.profiler", "perf_swevent_hrtimer"),
    claim("kernel.profiler", "bpf_get_stackid"),
    claim("kernel.profiler", "bpf_overflow_handler"),
    claim("kernel.profiler", "asm_exc_int3"),
    claim("kernel.profiler", "bpf_prog_6deef7357e7b4530_sample", "bpf_overflow_handler"),
    claim(kUnclaimed, "bpf_prog_6deef7357e7b4530_filter", "tcp_v4_rcv"),

    claim("kernel.sched", "__schedule"),
    claim("kernel.sched", "schedule"),
    claim("kernel.sched", "finish_task_switch"),
    claim("kernel.sched", "try_to_wake_up"),
    claim("kernel.sched", "sched_balance_update_blocked_averages"),
    claim("kernel.sched", "load_balance"),  // before 6.10
    claim(kUnclaimed, "schedule_hrtimeout_range_clock"),

    claim("kernel.softirq", "virtnet_poll_tx", "net_rx_action"),
    claim("kernel.softirq", "mlx5e_napi_poll", "__napi_poll"),
    claim(kUnclaimed, "tcp_poll", "sock_poll"),
    claim("kernel.softirq.peer", "process_backlog", "tcp_sendmsg_locked"),
    claim("kernel.softirq.peer", "net_rx_action", "tcp_sendmsg"),
    claim("kernel.softirq.peer", "__do_softirq", "sock_sendmsg"),  // before 6.9
    claim("kernel.softirq.peer", "do_softirq", "tcp_recvmsg"),
    claim("kernel.softirq.peer", "process_backlog", "inet_shutdown"),
    claim("kernel.softirq.peer", "process_backlog", "__sys_sendto"),
    claim("kernel.softirq", "process_backlog", "__irq_exit_rcu"),
    claim("kernel.softirq", "handle_softirqs"),
    claim("kernel.softirq", "rcu_core"),
    claim("kernel.softirq", "rcu_do_batch"),
    claim("kernel.softirq", "run_timer_softirq"),

    claim("kernel.irq", "asm_sysvec_apic_timer_interrupt"),
    claim("kernel.irq", "asm_sysvec_reschedule_ipi"),
    claim("kernel.irq", "sysvec_call_function_single"),
    claim("kernel.irq", "asm_common_interrupt"),
    claim("kernel.irq", "asm_exc_nmi"),
    claim("kernel.irq", "__irq_exit_rcu"),
    claim("kernel.fault", "asm_exc_page_fault"),
    claim("kernel.fault", "exc_page_fault"),
    claim("kernel.fault", "do_user_addr_fault"),
    claim("kernel.fault", "handle_mm_fault"),
    claim(kUnclaimed, "clear_page_erms"),

    claim("sys.net", "__x64_sys_sendto"),
    claim("sys.net", "__sys_recvfrom"),
    claim("sys.net", "____sys_sendmsg"),
    claim("sys.net", "sock_write_iter"),
    claim("sys.net", "sock_read_iter"),
    claim("sys.net", "sock_recvmsg"),
    claim("sys.net", "__sock_sendmsg"),
    claim("sys.net", "tcp_sendmsg_locked"),
    claim("sys.net", "unix_stream_recvmsg"),
    claim("sys.net", "splice_to_socket"),
    claim("sys.net", "sock_close"),
    claim(kUnclaimed, "sock_def_readable"),
    claim(kUnclaimed, "tcp_write_xmit"),
    claim("sys.time", "__x64_sys_clock_nanosleep"),
    claim("sys.time", "do_nanosleep"),
    claim("sys.time", "__x64_sys_timerfd_settime"),
    claim("sys.epoll", "do_epoll_wait"),
    claim("sys.epoll", "__x64_sys_epoll_pwait"),
    claim("sys.epoll", "ep_item_poll"),
    claim("sys.epoll", "do_sys_poll"),
    claim("sys.epoll", "eventfd_write"),
    claim(kUnclaimed, "ep_poll_callback"),  // a wake-up, on the waker's time
    claim("sys.futex", "do_futex"),
    claim("sys.futex", "__x64_sys_futex"),
    claim("sys.futex", "futex_wait"),
    claim("sys.mem", "__x64_sys_munmap"),
    claim("sys.mem", "do_madvise"),
    claim("sys.mem", "vm_mmap_pgoff"),
    claim("sys.mem", "ksys_mmap_pgoff"),
    claim("sys.mem", "exit_mmap"),
    claim("sys.file", "ksys_read"),
    claim("sys.file", "ksys_write"),
    claim("sys.file", "vfs_write"),
    claim("sys.file", "do_sys_openat2"),
    claim("sys.file", "__x64_sys_newfstatat"),
    claim("sys.file", "__x64_sys_fcntl"),
    claim("sys.file", "__fput"),
    claim("idle", "do_idle"),
    claim("idle", "acpi_safe_halt"),
    claim("idle", "pvm_safe_halt_hc"),
    claim("sys.other", "__x64_sys_getpid"),
    claim("sys.other", "do_syscall_64"),
    claim("sys.other", "x64_sys_call"),
    claim("sys.other", "entry_SYSCALL_64_after_hwframe"),
    claim("sys.other", "entry_SYSCALL_64_safe_stack"),
    claim("sys.other", "io_submit_sqes"),
};

// Every boundary has its category, and every rule of the file is needed.
TEST(KernelRules, Claims) {
  expect_table("kernel.toml", {.category = {}, .function = "main"}, kKernelClaims);
}

// A kernel function's name decides nothing in user space.
TEST(KernelRules, KernelFramesOnly) {
  EXPECT_EQ(spent_in(folded_profile("main;schedule 1")), "unattributed");
  EXPECT_EQ(spent_in(folded_profile("main;schedule_[k] 1")), "kernel.sched");
}

constexpr std::string_view kWriteToSocket =
    "main;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_write_[k];vfs_write_[k];"
    "sock_write_iter_[k];tcp_sendmsg_[k];tcp_sendmsg_locked_[k]";
constexpr std::string_view kReceivedAtOnce =
    ";__tcp_push_pending_frames_[k];tcp_write_xmit_[k];__tcp_transmit_skb_[k];__ip_queue_xmit_[k];"
    "ip_finish_output2_[k];__dev_queue_xmit_[k];__local_bh_enable_ip_[k];do_softirq_[k];"
    "handle_softirqs_[k];net_rx_action_[k];__napi_poll_[k];process_backlog_[k];tcp_v4_rcv_[k];"
    "tcp_rcv_established_[k];sock_def_readable_[k]";

std::string category(std::string_view stack, std::string_view leaves) {
  return spent_in(folded_profile(std::string(stack) + std::string(leaves) + " 1"));
}

// A send pays for its own helpers, and not for what the other side receives inside it.
TEST(KernelRules, SendOverLoopback) {
  EXPECT_EQ(category(kWriteToSocket, ";skb_page_frag_refill_[k]"), "sys.net");
  EXPECT_EQ(category(kWriteToSocket, ";_copy_from_iter_[k]"), "sys.net");
  const std::string received = std::string(kWriteToSocket) + std::string(kReceivedAtOnce);
  EXPECT_EQ(category(received, ""), "kernel.softirq.peer");
  EXPECT_EQ(category(received, ";_raw_spin_unlock_irqrestore_[k];pvm_irq_enable_[k]"),
            "kernel.softirq.peer");
  EXPECT_EQ(category(received, ";ep_poll_callback_[k];try_to_wake_up_[k]"), "kernel.sched");
}

// An interrupt in the middle of a send is no part of it, nor are the packets that it delivers.
TEST(KernelRules, InterruptedSend) {
  const std::string interrupted =
      std::string(kWriteToSocket) +
      ";asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k]";
  EXPECT_EQ(category(interrupted, ""), "kernel.irq");
  EXPECT_EQ(category(interrupted, ";__irq_exit_rcu_[k];handle_softirqs_[k];net_rx_action_[k]"),
            "kernel.softirq");
  EXPECT_EQ(category(interrupted, ";hrtimer_interrupt_[k];perf_swevent_hrtimer_[k];memcpy_[k]"),
            "kernel.profiler");
}

// What a system call costs before and after its body is sys.other; a wait's switch is kernel.sched;
// a fault inside a copy is kernel.fault.
TEST(KernelRules, ContextsInsideACall) {
  constexpr std::string_view kCall = "main;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k]";
  EXPECT_EQ(category(kCall, ";__raw_callee_save_pvm_irq_enable_[k];pvm_irq_enable_[k]"),
            "sys.other");
  EXPECT_EQ(category(kCall, ";ksys_read_[k];fdget_pos_[k]"), "sys.file");
  EXPECT_EQ(category(kCall,
                     ";__x64_sys_futex_[k];do_futex_[k];futex_wait_[k];schedule_[k]"
                     ";__schedule_[k];finish_task_switch_[k];pvm_irq_enable_[k]"),
            "kernel.sched");
  EXPECT_EQ(category(kCall, ";exit_to_user_mode_loop_[k];schedule_[k];__schedule_[k]"),
            "kernel.sched");
  EXPECT_EQ(category(kCall,
                     ";ksys_read_[k];vfs_read_[k];_copy_to_iter_[k];asm_exc_page_fault_[k]"
                     ";exc_page_fault_[k];clear_page_erms_[k]"),
            "kernel.fault");
}

// A kernel stack that no rule knows is kernel.other, and never the user code's.
TEST(KernelRules, UnknownKernelCode) {
  EXPECT_EQ(spent_in(folded_profile("main;ret_from_fork_[k];some_new_thing_[k] 1")),
            "kernel.other");
}

}  // namespace
}  // namespace perfgap
