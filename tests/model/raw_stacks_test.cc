// Raw stacks of a capture.
#include <gtest/gtest.h>

#include "model/capture.h"

namespace perfgap::testing {
namespace {

using Addresses = std::vector<std::uint64_t>;

Addresses at(const RawStacks& stacks, std::uint32_t index) {
  const auto addresses = stacks.at(index);
  return {addresses.begin(), addresses.end()};
}

// Each distinct stack is stored once; 0 is the empty one.
TEST(RawStacks, StoresEachDistinctStackOnce) {
  RawStacks stacks;
  EXPECT_EQ(stacks.intern({}), 0U);
  const std::uint32_t ab = stacks.intern(Addresses{1, 2});
  const std::uint32_t ba = stacks.intern(Addresses{2, 1});
  const std::uint32_t prefix = stacks.intern(Addresses{1});
  EXPECT_EQ(stacks.intern(Addresses{1, 2}), ab);
  EXPECT_EQ(stacks.size(), 4U);
  EXPECT_EQ(at(stacks, ab), (Addresses{1, 2}));
  EXPECT_EQ(at(stacks, ba), (Addresses{2, 1}));
  EXPECT_EQ(at(stacks, prefix), (Addresses{1}));
  EXPECT_TRUE(stacks.at(0).empty());
}

// Stacks keep their addresses while more are added.
TEST(RawStacks, KeepsStacksWhileGrowing) {
  RawStacks stacks;
  std::vector<std::uint32_t> indices;
  for (std::uint64_t i = 0; i < 3000; ++i) indices.push_back(stacks.intern(Addresses{i, i + 1, 7}));
  for (std::uint64_t i = 0; i < 3000; ++i) {
    EXPECT_EQ(at(stacks, indices[i]), (Addresses{i, i + 1, 7}));
  }
}

}  // namespace
}  // namespace perfgap::testing
