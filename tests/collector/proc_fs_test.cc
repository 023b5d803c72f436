// What /proc says, read from its own odd lines and from this very process.
#include "collector/proc_fs.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace perfgap {
namespace {

// The comm may hold blanks and parentheses: it ends at the last one.
TEST(ProcStat, CommMayHoldParenthesesAndBlanks) {
  const auto stat = parse_proc_stat(
      "4242 (a) b (c)) S 17 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2 3");

  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 4242U);
  EXPECT_EQ(stat->comm, "a) b (c)");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 17U);
  EXPECT_EQ(stat->start_ticks, 987654U);
  EXPECT_FALSE(stat->kernel_thread);
}

// PF_KTHREAD in the flags marks a kernel thread.
TEST(ProcStat, KernelThreadsAreMarked) {
  const auto stat =
      parse_proc_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0");

  ASSERT_TRUE(stat);
  EXPECT_TRUE(stat->kernel_thread);
}

// A line that is cut short is no process, not one with zeroes.
TEST(ProcStat, RefusesWhatIsCutShort) {
  EXPECT_FALSE(parse_proc_stat(""));
  EXPECT_FALSE(parse_proc_stat("17"));
  EXPECT_FALSE(parse_proc_stat("17 (x"));
  EXPECT_FALSE(parse_proc_stat("17 (x) S 1 2 3"));
  EXPECT_FALSE(parse_proc_stat("x (x) S 17 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 987654 1"));
}

// Only executable mappings count; names keep their blanks.
TEST(ProcMapping, ReadsExecutableLines) {
  const auto mapping = parse_proc_mapping("7f00-7f80 r-xp 00001000 fe:01 77    /tmp/a b (deleted)");

  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->start, 0x7f00U);
  EXPECT_EQ(mapping->end, 0x7f80U);
  EXPECT_EQ(mapping->file_offset, 0x1000U);
  EXPECT_EQ(mapping->device, makedev(0xfe, 1));
  EXPECT_EQ(mapping->inode, 77U);
  EXPECT_EQ(mapping->name, "/tmp/a b (deleted)");
  EXPECT_FALSE(parse_proc_mapping("7f00-7f80 rw-p 00001000 fe:01 77    /tmp/a"));
}

// Memory without a file is spelled as the kernel's mapping events spell it.
TEST(ProcMapping, AnonymousMemoryHasTheNameOfTheEvents) {
  const auto mapping = parse_proc_mapping("1000-2000 rwxp 00000000 00:00 0 ");

  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->name, "//anon");
  EXPECT_EQ(mapping->inode, 0U);
}

TEST(ProcMapping, RefusesGarbage) {
  EXPECT_FALSE(parse_proc_mapping(""));
  EXPECT_FALSE(parse_proc_mapping("1000 r-xp 0 00:00 0"));
  EXPECT_FALSE(parse_proc_mapping("1000-zz r-xp 0 00:00 0"));
  EXPECT_FALSE(parse_proc_mapping("1000-2000 r-xp 0 0000 0"));
}

// This test itself is mapped, and its code lies where the mapping says.
TEST(ProcMapping, FindsThisProgram) {
  const auto mappings = read_executable_mappings(static_cast<std::uint64_t>(getpid()));
  const auto here = reinterpret_cast<std::uint64_t>(&read_executable_mappings);

  EXPECT_TRUE(std::ranges::any_of(mappings, [here](const ProcMapping& mapping) {
    return mapping.start <= here && here < mapping.end && mapping.inode != 0;
  }));
}

// A child is a descendant, the process itself and its parent are not.
TEST(Descendants, AreChildrenAndNotTheRoots) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const auto self = static_cast<std::uint64_t>(getpid());
  const auto found = descendants_of({self});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, static_cast<std::uint64_t>(child));
  EXPECT_EQ(found[0].parent_pid, self);
}

// The kernel counts CPU time of a thread that spins, and of this process under both its ids.
TEST(ThreadCpu, GrowsWithWork) {
  const auto self = static_cast<std::uint64_t>(getpid());
  const auto before = read_thread_cpu(self, self);
  volatile std::uint64_t sink = 0;
  for (std::uint64_t i = 0; i < 100'000'000; ++i) sink = sink + i;
  const auto after = read_thread_cpu(self, self);

  ASSERT_TRUE(before && after);
  EXPECT_GT(after->cpu_ns, before->cpu_ns);
}

}  // namespace
}  // namespace perfgap
