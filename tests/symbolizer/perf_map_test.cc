#include "symbolizer/perf_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace perfgap {
namespace {

std::string name_at(std::string_view text, std::uint64_t address) {
  const PerfMap map(text, std::span(&address, 1));
  const auto found = map.find(address);
  return found ? std::string(found->name) : "none";
}

// Numbers with or without 0x, padded, upper or lower case mean the same.
TEST(PerfMap, NumbersMayBeWrittenInAnyHexadecimalWay) {
  for (const char* text : {"7f00ab 10 f\n", "0x7f00ab 0x10 f\n", "00000000007F00AB 10 f\n",
                           "0X7F00AB 0X10 f\n", "7f00ab 0010 f\n"}) {
    EXPECT_EQ(name_at(text, 0x7f00ab), "f") << text;
    EXPECT_EQ(name_at(text, 0x7f00ba), "f") << text;
    EXPECT_EQ(name_at(text, 0x7f00bb), "none") << text;
    EXPECT_EQ(name_at(text, 0x7f00aa), "none") << text;
  }
}

// A name is the rest of the line: blanks and semicolons belong to it, a carriage return does not.
TEST(PerfMap, NamesHoldBlanksAndSemicolons) {
  EXPECT_EQ(name_at("10 10 void f(int, long) app.js:1:2\n", 0x10), "void f(int, long) app.js:1:2");
  EXPECT_EQ(name_at("10 10 Lorg/demo/Gen;::run\r\n", 0x10), "Lorg/demo/Gen;::run");
  EXPECT_EQ(name_at(std::string_view("10 10 cut\0rest\n", 15), 0x10), "cut");
}

// Code is reused: the last line that contains the address names it, wherever lines overlap.
TEST(PerfMap, LastLineWins) {
  const std::string text = "100 100 old\n180 100 newer\n140 20 newest\n";
  EXPECT_EQ(name_at(text, 0x13f), "old");
  EXPECT_EQ(name_at(text, 0x140), "newest");
  EXPECT_EQ(name_at(text, 0x15f), "newest");
  EXPECT_EQ(name_at(text, 0x160), "old");
  EXPECT_EQ(name_at(text, 0x180), "newer");
  EXPECT_EQ(name_at(text, 0x27f), "newer");
  EXPECT_EQ(name_at("100 10 small\n0 1000 large\n", 0x108), "large");
}

// A line that is being written has no newline yet and is left alone.
TEST(PerfMap, TornLastLineIsIgnored) {
  const std::uint64_t address = 0x10;
  const std::string text = "10 10 whole\n10 10 tor";
  const PerfMap map(text, std::span(&address, 1));
  EXPECT_EQ(map.find(address)->name, "whole");
  EXPECT_EQ(map.lines(), 1U);
  EXPECT_EQ(map.bad_lines(), 0U);
  EXPECT_EQ(name_at("10 10 tor", 0x10), "none");
}

// Lines of another shape are counted and skipped; empty lines are nothing.
TEST(PerfMap, BadLinesAreCounted) {
  const std::uint64_t address = 0x10;
  const std::string text =
      "hello\n\n10 10\n10 10 \nxyz 10 f\n10 zz f\n-10 10 f\nffffffffffffffff 10 f\n"
      "11112222333344445 1 f\n10 10 good\n";
  const PerfMap map(text, std::span(&address, 1));
  EXPECT_EQ(map.lines(), 9U);
  EXPECT_EQ(map.bad_lines(), 8U);
  EXPECT_EQ(map.find(address)->name, "good");
}

// An address counts as reused if the line before the last that contains it has another name.
TEST(PerfMap, ReuseIsKnown) {
  const std::vector<std::uint64_t> addresses = {0x10, 0x20, 0x30, 0x40};
  const std::string text = "10 1 a\n10 1 b\n20 1 a\n20 1 a\n30 1 a\n";
  const PerfMap map(text, addresses);
  EXPECT_TRUE(map.find(0x10)->reused);
  EXPECT_FALSE(map.find(0x20)->reused);
  EXPECT_FALSE(map.find(0x30)->reused);
  EXPECT_FALSE(map.find(0x40).has_value());
}

// For any lines and addresses the answer is that of reading all lines in order for each address.
TEST(PerfMap, AgreesWithReadingEveryLineForEveryAddress) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; round++) {
    struct Line {
      std::uint64_t start;
      std::uint64_t size;
      std::string name;
    };
    std::vector<Line> lines;
    std::string text;
    const std::uint64_t space = 1 + random() % 200;
    for (std::size_t i = 0; i < random() % 60; i++) {
      lines.push_back({.start = random() % space,
                       .size = random() % (1 + random() % space),
                       .name = fmt::format("f{}", random() % 5)});
      text +=
          fmt::format("{:x} {:x} {}\n", lines.back().start, lines.back().size, lines.back().name);
    }
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t address = 0; address < space; address++) {
      if (random() % 3 != 0) addresses.push_back(address);
    }
    const PerfMap map(text, addresses);
    for (const std::uint64_t address : addresses) {
      std::vector<std::string> names;
      for (const Line& line : lines) {
        if (address >= line.start && address - line.start < line.size) names.push_back(line.name);
      }
      const auto found = map.find(address);
      ASSERT_EQ(found.has_value(), !names.empty()) << text << address;
      if (!found) continue;
      EXPECT_EQ(found->name, names.back()) << text << address;
      const bool reused = names.size() > 1 && names[names.size() - 2] != names.back();
      EXPECT_EQ(found->reused, reused) << text << address;
    }
  }
}

// Lines that each cover every address cost no more than lines that cover one.
TEST(PerfMap, HugeRangesAreNotQuadratic) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 100'000; i++) addresses.push_back(i * 16);
  std::string text;
  for (int i = 0; i < 100'000; i++) text += fmt::format("0 ffffffff f{}\n", i);
  const PerfMap map(text, addresses);  // 10^10 steps if it were
  EXPECT_EQ(map.find(16)->name, "f99999");
  EXPECT_TRUE(map.find(16)->reused);
}

}  // namespace
}  // namespace perfgap
