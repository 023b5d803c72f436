// Parser of Rust's v0 symbols (RFC 2603), private to demangle_rust_v0().
//
// It prints while it parses. Back references let a short symbol name a huge one, so output, depth
// and steps are bounded; what exceeds them fails the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfgap {

class RustV0Parser {
 public:
  explicit RustV0Parser(std::string_view input) : input_(input) {}

  std::optional<std::string> run() {
    if (input_.empty() || input_[0] < 'A' || input_[0] > 'Z') return std::nullopt;
    path(true);
    // What may follow is the crate that instantiated the generic: a path, not shown.
    if (failed_ || out_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Identifier {
    std::string text;
    std::uint64_t disambiguator = 0;
  };

  static constexpr std::size_t kMaxOutputBytes = 64 << 10;
  static constexpr int kMaxDepth = 200;
  static constexpr std::size_t kMaxSteps = 1 << 20;  // characters taken, references included

  // Entered by every recursive rule: bounds depth, steps and output.
  class Level {
   public:
    explicit Level(RustV0Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth || ++parser_.steps_ > kMaxSteps ||
          parser_.out_.size() > kMaxOutputBytes)
        parser_.failed_ = true;
    }
    ~Level() { parser_.depth_--; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    RustV0Parser& parser_;
  };

  [[nodiscard]] char peek() const { return at_ < input_.size() ? input_[at_] : '\0'; }
  char take() {
    if (at_ >= input_.size() || ++steps_ > kMaxSteps) {
      failed_ = true;
      return '\0';
    }
    return input_[at_++];
  }
  bool take_if(char wanted) {
    if (failed_ || peek() != wanted) return false;
    take();
    return true;
  }
  void print(std::string_view text) {
    if (!quiet_ && !failed_) out_ += text;
  }
  void print_number(std::uint64_t value) { print(std::to_string(value)); }

  std::uint64_t base_62();
  std::uint64_t optional_base_62(char tag);
  Identifier identifier();
  std::string plain_identifier();
  void path(bool in_value);
  void nested_path(bool in_value);
  void inherent_impl(char tag);
  void generic_args();
  void type();
  void function_type();
  void dyn_type();
  void dyn_trait();
  bool path_open_generics();
  void constant();
  void constant_number(bool is_signed);
  void constant_text(char tag);
  void lifetime_from_index(std::uint64_t index);
  void binder();
  void tuple(std::string_view open, std::string_view close);
  template <typename Rule>
  void back_reference(Rule rule);

  std::string_view input_;
  std::size_t at_ = 0;
  std::string out_;
  std::uint64_t bound_lifetimes_ = 0;
  int depth_ = 0;
  std::size_t steps_ = 0;
  bool quiet_ = false;
  bool failed_ = false;
};

template <typename Rule>
void RustV0Parser::back_reference(Rule rule) {
  const std::size_t tag_at = at_ - 1;
  const std::uint64_t target = base_62();
  if (failed_ || target >= tag_at) {
    failed_ = true;
    return;
  }
  if (quiet_) return;
  const std::size_t resume = at_;
  at_ = target;
  rule();
  at_ = resume;
}

}  // namespace perfgap
