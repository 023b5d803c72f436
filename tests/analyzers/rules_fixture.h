// Fixtures of the built-in rules: which category claims a symbol, and what a whole stack is spent
// in.
//
// A table of claims is checked twice. Forwards: every symbol has the category that the table says.
// Backwards: every rule of the file is needed by some line, which would come out otherwise without
// it. So a rule can be neither dropped nor added without its table.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/categories.h"
#include "model/profile.h"

namespace perfgap::testing_support {

inline constexpr std::string_view kTransparent = "(transparent)";  // skipped, no id of its own
inline constexpr std::string_view kUnclaimed = "(none)";
inline constexpr std::string_view kProgram = "/srv/bin/app";  // the target's own program

// One symbol as a profile holds it; how it got there is the symbolizer's matter.
struct Claim {
  std::string_view category;
  std::string_view function;
  FrameKind kind = FrameKind::native;
  std::string_view module = kProgram;
  std::string_view file = {};   // its source
  std::string_view under = {};  // a function further out
  bool leaf = false;            // at the end of its stack
};

constexpr Claim in(std::string_view module, std::string_view category, std::string_view function,
                   std::string_view under = {}) {
  return {.category = category, .function = function, .module = module, .under = under};
}

// The category of a thread's own rule, which decides whatever the thread runs.
struct ThreadClaim {
  std::string_view category;
  std::string_view thread;
};

inline const CategoryRules& built_in() {
  static const CategoryRules rules = [] {
    auto loaded = CategoryRules::load(builtin_rules());
    if (!loaded) {
      ADD_FAILURE() << loaded.error().message;
      std::abort();
    }
    return *std::move(loaded);
  }();
  return rules;
}

inline std::string category_of(std::int32_t rule) {
  if (rule < 0) return std::string(kUnclaimed);
  const CategoryId category = built_in().rules()[static_cast<std::size_t>(rule)].category;
  return std::string(category.is_none() ? kTransparent : built_in().name(category));
}

// One stack per claim and per thread, and one that makes the runtime's file apply.
class ClaimProfile {
 public:
  ClaimProfile(const Claim& runtime, std::span<const Claim> claims,
               std::span<const ThreadClaim> threads) {
    profile_.set_value_types({{profile_.intern("samples"), profile_.intern("count")}});
    profile_.run.processes.emplace_back().executables.emplace_back(kProgram);
    add(runtime, "main");
    for (const Claim& claim : claims) claims_.push_back(add(claim, "main"));
    for (const ThreadClaim& claim : threads) {
      threads_.push_back(add({.category = {}, .function = "entry"}, claim.thread).sample);
    }
    marks_ = mark(profile_, built_in());
  }

  // The rule that claims the symbol of `claim`, -1 if none does.
  [[nodiscard]] std::int32_t rule(std::size_t index, const Claim& claim) const {
    const Place& place = claims_[index];
    return claim.leaf ? marks_.spent_in[place.sample].rule : marks_.node_rule[place.stack.index()];
  }
  [[nodiscard]] std::int32_t thread_rule(std::size_t index) const {
    return marks_.spent_in[threads_[index]].rule;
  }
  // The category that the symbol would have without `rule`.
  [[nodiscard]] std::string without(std::int32_t rule, const Claim& claim) const {
    for (const Explanation& explanation : explain(profile_, marks_, claim.function)) {
      if (explanation.function != claim.function || explanation.module != module_of(claim))
        continue;
      for (const std::int32_t other : explanation.matching_rules) {
        if (other > rule) return category_of(other);
      }
    }
    return std::string(kUnclaimed);
  }

 private:
  struct Place {
    StackId stack;
    std::size_t sample = 0;
  };

  static std::string_view module_of(const Claim& claim) {
    return claim.kind == FrameKind::kernel ? "[kernel]" : claim.module;
  }

  Place add(const Claim& claim, std::string_view thread) {
    StackId node;
    if (!claim.under.empty()) {
      node = push(node, {.category = {}, .function = claim.under, .kind = claim.kind});
    }
    node = push(node, claim);
    Sample sample;
    sample.stack = node;
    sample.thread = profile_.intern(
        Thread{.pid = 1, .tid = ++last_tid_, .comm = {}, .name = profile_.intern(thread)});
    sample.values = {1};
    profile_.add(sample);
    return {.stack = node, .sample = profile_.samples().size() - 1};
  }

  StackId push(StackId parent, const Claim& claim) {
    Mapping mapping;
    mapping.file = profile_.intern(module_of(claim));
    const StringId name = profile_.intern(claim.function);
    Frame frame;
    frame.kind = claim.kind;
    frame.mapping = profile_.intern(mapping);
    frame.function = profile_.intern(
        Function{.name = name, .system_name = name, .file = profile_.intern(claim.file)});
    return profile_.intern(StackNode{parent, profile_.intern(frame)});
  }

  Profile profile_;
  std::uint64_t last_tid_ = 0;
  std::vector<Place> claims_;
  std::vector<std::size_t> threads_;
  CategoryMarks marks_;
};

// `runtime` is a frame by which the file knows that it applies.
inline void expect_table(std::string_view rules_file, const Claim& runtime,
                         std::span<const Claim> claims, std::span<const ThreadClaim> threads = {}) {
  const ClaimProfile profile(runtime, claims, threads);
  std::vector<bool> needed(built_in().rules().size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::int32_t rule = profile.rule(i, claims[i]);
    EXPECT_EQ(category_of(rule), claims[i].category)
        << claims[i].function << " " << claims[i].file << " under " << claims[i].under;
    if (rule >= 0 && profile.without(rule, claims[i]) != claims[i].category) {
      needed[static_cast<std::size_t>(rule)] = true;
    }
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const std::int32_t rule = profile.thread_rule(i);
    EXPECT_EQ(category_of(rule), threads[i].category) << threads[i].thread;
    if (rule >= 0) needed[static_cast<std::size_t>(rule)] = true;
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Rule& rule = built_in().rules()[i];
    if (rule.source != rules_file) continue;
    EXPECT_TRUE(needed[i]) << rule.source << ":" << rule.line << ": no line of the table needs "
                           << category_of(static_cast<std::int32_t>(i));
  }
}

// What the only sample of a stack is spent in; root first, in the notation of folded_profile().
inline std::string spent_in(const Profile& profile) {
  const CategoryMarks marks = mark(profile, built_in());
  return std::string(built_in().name(marks.spent_in.at(0).category));
}

}  // namespace perfgap::testing_support
