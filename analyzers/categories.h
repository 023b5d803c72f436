// The category engine: rules as data, and which category every frame and every sample belongs to.
//
// A rule claims frames by regular expressions on function, module or thread; of the rules that
// match a frame, the first in order of precedence claims it. `spent in` of a sample is decided from
// the leaf outwards by the steps of `DecisionStep`; `passes through` is every category with a frame
// on the stack, that of the thread's own rule and the one the sample is spent in. Invariant: each
// sample has exactly one spent-in category, and passes through it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/profile.h"

namespace perfgap {

using CategoryId = Id<struct CategoryTag>;  // 0: no category

// Where a rules file stands in precedence: the user's own first, then the runtime's, then the
// common ones. A built-in file whose text says `runtime = "common"` is common, whatever its source
// says.
enum class RulePrecedence : std::uint8_t { user, runtime, common };

struct RuleSource {
  std::string name;  // for messages: "rules.toml"
  std::string text;
  RulePrecedence precedence = RulePrecedence::runtime;
};

// The rule files built into the program, the common ones last.
std::vector<RuleSource> builtin_rules();

struct Rule {
  CategoryId category;     // none for a transparent rule without an id
  std::string source;      // file name
  std::uint32_t line = 0;  // in that file
  std::string verified;    // runtime and version it was checked on, e.g. "node@24.21.0"
};

class CategoryRules {
 public:
  // Compiles all rules. An error names file and line: "rules.toml:7: unknown key 'symbl'; did you
  // mean 'symbol'?".
  static Result<CategoryRules> load(std::span<const RuleSource> sources);
  CategoryRules(CategoryRules&&) noexcept;
  CategoryRules& operator=(CategoryRules&&) noexcept;
  ~CategoryRules();

  [[nodiscard]] std::string_view name(CategoryId category) const;  // "gc.minor"
  [[nodiscard]] std::size_t category_count() const;                // none included
  [[nodiscard]] std::span<const Rule> rules() const;
  [[nodiscard]] std::string hash() const;  // 12 hex digits over all sources

  struct Compiled;
  [[nodiscard]] const Compiled& compiled() const { return *compiled_; }

 private:
  explicit CategoryRules(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// Which step of the attribution decided a sample or a stack.
enum class DecisionStep : std::uint8_t {
  kernel_frame,   // a kernel frame with a rule
  kernel_other,   // kernel frames, none with a rule
  thread_root,    // the thread's own rule (GC and JIT helpers)
  user_frame,     // the first frame with a rule
  covering_rule,  // a frame with a rule that covers the unruled helpers below it
  unattributed,   // names, but no rule
  unsymbolised,   // no name
};
std::string_view to_string(DecisionStep step);

struct Attribution {
  CategoryId category{};   // never none: kernel.other, unattributed and unsymbolised are categories
  std::int32_t rule = -1;  // index into rules(), -1 if none decided
  FrameId frame{};         // the frame that decided, none if none did
  DecisionStep step = DecisionStep::unattributed;
  bool operator==(const Attribution&) const = default;
};

// Marks of one profile: for every sample its attribution and the set of categories it passes
// through. Samples share sets, of which there are few: a sum over sets is cheaper than one over
// samples.
struct CategoryMarks {
  std::vector<Attribution> spent_in;                   // by sample index
  std::vector<std::uint32_t> passes_through;           // by sample index: index into category_sets
  std::vector<std::vector<CategoryId>> category_sets;  // ascending, each category once
  // By stack id: the rule that claims the node's frame where it is not the leaf, -1 if none does.
  // Rules that ask for a thread are left out here.
  std::vector<std::int32_t> node_rule;
  const CategoryRules* rules = nullptr;
};
// O(stacks + samples), and one pattern pass per distinct function, module, source file and thread
// name.
CategoryMarks mark(const Profile& profile, const CategoryRules& rules);

// `profile explain`: what claimed a symbol. Every function whose name contains `symbol`: those that
// equal it first, then by total samples.
struct Explanation {
  std::string function;
  std::string module;
  // All that match it somewhere on the profile's stacks, in order of precedence. The first wins
  // wherever it matches: always, unless it asks for a place on the stack (where, under) or a
  // thread.
  std::vector<std::int32_t> matching_rules;
  struct Outcome {
    Attribution attribution;        // `frame` is one of those that decided
    std::string deciding_function;  // empty if no frame decided
    std::int64_t samples = 0;
  };
  std::vector<Outcome> spent_in;  // of the samples whose leaf is this function, most samples first
  std::int64_t self_samples = 0;
  std::int64_t total_samples = 0;
};
std::vector<Explanation> explain(const Profile& profile, const CategoryMarks& marks,
                                 std::string_view symbol);

}  // namespace perfgap
