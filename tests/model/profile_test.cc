// Tables and columns of a profile.
#include "model/profile.h"

#include <gtest/gtest.h>

#include "tests/model/profiles.h"

namespace perfgap::testing {
namespace {

// Entry 0 of every table is its "none", and an empty entry is that one.
TEST(Profile, EmptyEntriesAreNone) {
  Profile profile;
  EXPECT_TRUE(profile.intern(std::string_view()).is_none());
  EXPECT_TRUE(profile.intern(Mapping{}).is_none());
  EXPECT_TRUE(profile.intern(Function{}).is_none());
  EXPECT_TRUE(profile.intern(Frame{}).is_none());
  EXPECT_TRUE(profile.intern(StackNode{}).is_none());
  EXPECT_TRUE(profile.intern(Thread{}).is_none());
  EXPECT_TRUE(profile.intern(std::vector<Label>{}).is_none());
  EXPECT_EQ(profile.string_count(), 1U);
  EXPECT_EQ(profile.stack_count(), 1U);
}

// Equal input gives the equal id, and input that differs in any one field another.
TEST(Profile, InterningTellsEntriesApartByEveryField) {
  Profile profile;
  const StringId a = profile.intern("a");
  const StringId b = profile.intern("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(profile.intern("a"), a);
  EXPECT_EQ(profile.text(b), "b");

  const FunctionId function = profile.intern(Function{a, b, a, 7});
  const MappingId mapping = profile.intern(Mapping{1, 2, 3, a, b});
  const Frame base{function, mapping, 0x10, 5, FrameKind::jit, Tier::baseline};
  const std::vector<Frame> frames = {
      base,
      {FunctionId(), mapping, 0x10, 5, FrameKind::jit, Tier::baseline},
      {function, MappingId(), 0x10, 5, FrameKind::jit, Tier::baseline},
      {function, mapping, 0x11, 5, FrameKind::jit, Tier::baseline},
      {function, mapping, 0x10, 6, FrameKind::jit, Tier::baseline},
      {function, mapping, 0x10, 5, FrameKind::native, Tier::baseline},
      {function, mapping, 0x10, 5, FrameKind::jit, Tier::optimised},
  };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(profile.intern(frames[i]), FrameId(i + 1));
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(profile.intern(frames[i]), FrameId(i + 1));
    EXPECT_EQ(profile.frame(FrameId(i + 1)), frames[i]);
  }
}

// Ids and texts stay what they were while the tables grow.
TEST(Profile, IdsStayValidWhileTablesGrow) {
  Profile profile;
  std::vector<StringId> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(profile.intern("s" + std::to_string(i)));
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(profile.text(ids[static_cast<std::size_t>(i)]), "s" + std::to_string(i));
    EXPECT_EQ(profile.intern("s" + std::to_string(i)), ids[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(profile.string_count(), 5001U);
}

// Stacks that share their outer frames share those nodes, and a parent has a smaller id.
TEST(Profile, StacksAreATrie) {
  Profile profile;
  const FrameId root = frame(profile, "main", "app");
  const FrameId left = frame(profile, "left", "app");
  const FrameId right = frame(profile, "right", "app");
  const StackId a = stack(profile, {root, left});
  const StackId b = stack(profile, {root, right});
  EXPECT_EQ(profile.stack_count(), 4U);
  EXPECT_EQ(profile.node(a).parent, profile.node(b).parent);
  EXPECT_LT(profile.node(a).parent, a);
  EXPECT_EQ(stack(profile, {root, left}), a);
  EXPECT_NE(stack(profile, {left, root}), a);
}

class MergedSamples : public ::testing::Test {
 protected:
  MergedSamples() {
    profile_.set_value_types({{profile_.intern("samples"), profile_.intern("count")},
                              {profile_.intern("cpu"), profile_.intern("nanoseconds")}});
    a_ = stack(profile_, {frame(profile_, "a", "app")});
    b_ = stack(profile_, {frame(profile_, "b", "app")});
    late_ = profile_.intern(Thread{1, 9, {}, {}});
    early_ = profile_.intern(Thread{1, 2, {}, {}});
  }

  void add(StackId stack, ThreadId thread, std::uint32_t time, std::int64_t cpu,
           Outcome outcome = Outcome::complete, LabelSetId labels = {}) {
    profile_.add({stack, thread, time, outcome, labels, {1, cpu}});
  }

  Profile profile_;
  StackId a_, b_;
  ThreadId late_, early_;
};

// Samples join if they agree in stack, thread, time, outcome and labels; all else stays apart.
TEST_F(MergedSamples, JoinWhatAgreesInEveryKey) {
  const LabelSetId labels = profile_.intern(std::vector<Label>{{profile_.intern("k"), {}, 1, {}}});
  add(a_, early_, 0, 10);
  add(b_, early_, 0, 20);
  add(a_, late_, 0, 30);
  add(a_, early_, 10, 40);
  add(a_, early_, 0, 50, Outcome::no_root);
  add(a_, early_, 0, 60, Outcome::complete, labels);
  add(a_, early_, 0, 70);  // joins the first
  profile_.merge_samples();
  EXPECT_EQ(profile_.samples().size(), 6U);
  EXPECT_EQ(profile_.total(0), 7);
  EXPECT_EQ(profile_.total(1), 280);
  EXPECT_EQ(profile_.samples().values[0].front(), 2);
  EXPECT_EQ(profile_.samples().values[1].front(), 80);
}

// The order is that of the keys, whatever the order of adding and of meeting threads.
TEST_F(MergedSamples, AreOrderedByTheirKeys) {
  add(b_, late_, 20, 1);
  add(a_, late_, 10, 2);
  add(a_, early_, kNoTime, 3);
  add(a_, early_, 30, 4);
  profile_.merge_samples();
  EXPECT_EQ(profile_.samples().values[1], (std::vector<std::int64_t>{4, 3, 2, 1}));
}

// A column is found by its type; the one shown is cpu, else the file's default, else the last.
TEST(Profile, DefaultColumn) {
  const auto profile_of = [](const std::vector<std::string_view>& types) {
    Profile profile;
    std::vector<ValueType> columns;
    for (const std::string_view type : types) columns.push_back({profile.intern(type), {}});
    profile.set_value_types(columns);
    return profile;
  };
  EXPECT_EQ(profile_of({"samples", "cpu", "off_cpu"}).default_value_index(), 1U);
  EXPECT_EQ(profile_of({"samples", "cycles"}).default_value_index(), 1U);
  Profile other = profile_of({"objects", "space"});
  other.default_type = other.intern("objects");
  EXPECT_EQ(other.default_value_index(), 0U);
  EXPECT_EQ(other.value_index("space"), 1U);
  EXPECT_EQ(other.value_index("cpu"), std::nullopt);
}

// A frame without a name is shown as the module's file name and the address.
TEST(DisplayName, FallsBackOnModuleAndAddress) {
  Profile profile;
  const auto shown = [&](std::string_view name, std::string_view module) {
    return display_name(profile, frame(profile, name, module, FrameKind::native, 0xbeef));
  };
  EXPECT_EQ(shown("main", "/usr/bin/server"), "main");
  EXPECT_EQ(shown("", "/usr/lib/libc.so.6"), "libc.so.6+0xbeef");
  EXPECT_EQ(shown("", "[kernel]"), "[kernel]+0xbeef");
  EXPECT_EQ(shown("", ""), "[unknown]+0xbeef");
}

// Every enumerator has a name of its own, which leads back to it.
TEST(Enums, NamesLeadBack) {
  for (std::size_t i = 0; i < kFrameKinds; ++i) {
    EXPECT_EQ(frame_kind_from(to_string(static_cast<FrameKind>(i))), static_cast<FrameKind>(i));
  }
  for (std::size_t i = 0; i < kTiers; ++i) {
    EXPECT_EQ(tier_from(to_string(static_cast<Tier>(i))), static_cast<Tier>(i));
  }
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    EXPECT_EQ(outcome_from(to_string(static_cast<Outcome>(i))), static_cast<Outcome>(i));
  }
  EXPECT_EQ(to_string(FrameKind::builtin), "builtin");
  EXPECT_EQ(to_string(Tier::optimised), "optimised");
  EXPECT_EQ(to_string(Outcome::unknown), "unknown");
  EXPECT_EQ(frame_kind_from("no such kind"), std::nullopt);
}

}  // namespace
}  // namespace perfgap::testing
