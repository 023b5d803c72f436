// Folded stacks: the grammar holds whatever the names, and no weight is lost.
#include "reports/folded.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "folded_grammar.h"
#include "hostile_names.h"

namespace perfgap {
namespace {

struct FrameSpec {
  std::string name;
  FrameKind kind = FrameKind::native;
  std::uint64_t address = 0;
};

class Stacks {
 public:
  Stacks() { profile.set_value_types({{profile.intern("cpu"), profile.intern("nanoseconds")}}); }

  void add(const std::vector<FrameSpec>& root_first, std::int64_t weight,
           std::string_view thread = "") {
    StackId stack;
    for (const FrameSpec& spec : root_first) {
      const StringId name = profile.intern(spec.name);
      const FunctionId function = profile.intern(Function{.name = name, .system_name = name});
      const FrameId frame =
          profile.intern(Frame{.function = function, .address = spec.address, .kind = spec.kind});
      stack = profile.intern(StackNode{stack, frame});
    }
    ThreadId id;
    if (!thread.empty())
      id = profile.intern(Thread{.pid = 7, .tid = 8, .name = profile.intern(thread)});
    profile.add({.stack = stack, .thread = id, .values = {weight}});
  }

  Profile profile;
};

// Root first, equal stacks of different addresses merged, lines in byte order, weights as they are.
TEST(Folded, WritesOneLinePerDistinctStack) {
  Stacks stacks;
  stacks.add({{"main"}, {"work", FrameKind::native, 0x10}}, 5);
  stacks.add({{"main"}, {"work", FrameKind::native, 0x20}}, 7);
  stacks.add({{"main"}}, 1);
  stacks.add({{"Zeta"}, {"é"}}, 2);

  EXPECT_EQ(folded_stacks(stacks.profile, 0), "Zeta;é 2\nmain 1\nmain;work 12\n");
}

// A name is one frame that reads as no count, whatever it holds.
TEST(Folded, NamesCannotBreakTheGrammar) {
  EXPECT_EQ(folded_frame_name("Lorg/demo/Gen;::run"), "Lorg/demo/Gen:::run");
  EXPECT_EQ(folded_frame_name("two\nlines\tand\rmore"), "two lines and more");
  EXPECT_EQ(folded_frame_name("\u2028 padded \u00a0\x1f"), "padded");
  EXPECT_EQ(folded_frame_name("operator 5"), "operator_5");
  EXPECT_EQ(folded_frame_name("version 1.5"), "version_1.5");
  EXPECT_EQ(folded_frame_name("digits \n4711"), "digits _4711");
  EXPECT_EQ(folded_frame_name("not a count 5x"), "not a count 5x");
  EXPECT_EQ(folded_frame_name("5"), "5");
  EXPECT_EQ(folded_frame_name(""), "[no name]");
  EXPECT_EQ(folded_frame_name(" \t"), "[no name]");
  EXPECT_EQ(folded_frame_name("a\xff"
                              "b\xed\xa0\x80"),
            "a\uFFFDb\uFFFD\uFFFD\uFFFD");
}

// Samples of no weight make no line; those without a stack make one, so that the sum stays the
// total.
TEST(Folded, LosesNoWeight) {
  Stacks stacks;
  stacks.add({{"main"}}, 0);
  stacks.add({}, 3);
  stacks.add({{"[no stack]"}}, 4);

  EXPECT_EQ(folded_stacks(stacks.profile, 0), "[no stack] 7\n");
}

// By thread: a frame at the root tells threads of one name apart.
TEST(Folded, ByThreadPutsTheThreadAtTheRoot) {
  Stacks stacks;
  stacks.add({{"main"}}, 3, "work;er 5");
  stacks.add({{"main"}}, 4);

  EXPECT_EQ(folded_stacks(stacks.profile, 0, {.by_thread = true}),
            "[no thread];main 4\nwork:er 5 [8];main 3\n");
}

// Suffixes mark kernel, inlined and JIT frames, after the guard against counts.
TEST(Folded, SuffixesMarkKinds) {
  Stacks stacks;
  stacks.add(
      {{"main"}, {"js 1", FrameKind::jit}, {"inl", FrameKind::inlined}, {"sys", FrameKind::kernel}},
      9);

  EXPECT_EQ(folded_stacks(stacks.profile, 0, {.suffixes = true}),
            "main;js_1_[j];inl_[i];sys_[k] 9\n");
  EXPECT_EQ(folded_stacks(stacks.profile, 0), "main;js_1;inl;sys 9\n");
}

// Depth is no danger: stacks are walked, not recursed into.
TEST(Folded, DeepStacksAreWritten) {
  Stacks stacks;
  stacks.add(std::vector<FrameSpec>(200'000, {"f"}), 1);

  const std::string text = folded_stacks(stacks.profile, 0);
  EXPECT_EQ(text.size(), 200'000 * 2 - 1 + 3);
  EXPECT_EQ(folded_problem(text, 1), "");
}

// The checker itself sees each kind of fault; else the property below could not fail.
TEST(Folded, CheckerFindsFaults) {
  EXPECT_EQ(folded_problem("main;a 3\nmain;b 4\n", 7), "");
  for (const std::string_view bad :
       {"main;a 3", "main;a 7\n\n", "main;;a 7\n", ";a 7\n", "main; a 7\n", "main 5 7\n",
        "main 5.5 7\n", "main 07\n", "main -7\n", "main 3.5\n", "b 3\na 4\n", "a 3\na 4\n",
        "a 3\nb 3\n", "a\tb 7\n", "a\u0085 7\n", "a\u2028b 7\n", "a\xff 7\n", "main\u00a0;b 7\n",
        "7\n"}) {
    EXPECT_NE(folded_problem(bad, 7), "") << bad;
  }
}

// Whatever the names, kinds and threads: the strict grammar, and lines that sum to the column's
// total.
TEST(Folded, HostileNamesKeepGrammarAndTotal) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Stacks stacks;
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<FrameSpec> frames(random() % 6);
      for (FrameSpec& frame : frames) {
        frame = {hostile_name(random), static_cast<FrameKind>(random() % kFrameKinds),
                 random() % 3};
      }
      stacks.add(frames, static_cast<std::int64_t>(random() % 1000), hostile_name(random));
    }
    for (const bool by_thread : {false, true}) {
      for (const bool suffixes : {false, true}) {
        const std::string text = folded_stacks(stacks.profile, 0, {by_thread, suffixes});
        ASSERT_EQ(folded_problem(text, stacks.profile.total(0)), "") << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace perfgap
