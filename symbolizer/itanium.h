// Parser of names mangled by the Itanium C++ ABI, private to demangle_cpp().
//
// It prints while it parses. A type is two strings, what stands left and right of a declarator, so
// that "pointer to function" can be built from "function". The text of what may be referred back to
// is kept; total text and depth are bounded, because a name of a few hundred bytes can stand for
// gigabytes. Any rule that fails fails the whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfgap {

class ItaniumParser {
 public:
  explicit ItaniumParser(std::string_view input) : input_(input) {}

  // The name of "_Z...", without parameters.
  std::optional<std::string> run();

 private:
  enum class TypeForm { plain, function, array, lvalue_reference, rvalue_reference, pack };
  struct Type {
    std::string left;
    std::string right;
    TypeForm form = TypeForm::plain;
    std::vector<std::string> pack;  // of form pack: its elements
  };
  // What a name is, beyond its text: decides how its signature is read.
  struct NameTraits {
    bool ends_in_template_args = false;
    bool is_special_member = false;  // constructor, destructor or conversion: no return type
  };
  using Args = std::vector<Type>;

  // Bounds the recursion that the input asks for.
  class Level {
   public:
    explicit Level(ItaniumParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.failed_ = true;
    }
    ~Level() { parser_.depth_--; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ItaniumParser& parser_;
  };
  static constexpr int kMaxDepth = 256;

  // Input.
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < input_.size() ? input_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool done() const { return failed_ || at_ >= input_.size(); }
  bool take_if(std::string_view text);
  bool take_if(char c);
  std::string fail();
  std::optional<std::size_t> number();
  std::optional<std::size_t> sequence_id();  // "_" is 0, "0_" is 1, in base 36
  std::size_t index_number();                // "_" is 0, "0_" is 1, in base 10
  std::string spend(std::string text);       // the text, its length charged to the budget
  Type spend(Type type);

  // Names (itanium_names.cc) and their parts (itanium_parts.cc).
  std::string encoding(bool to_the_end);
  std::string special_name();
  bool call_offset();
  std::string name(NameTraits& traits, bool tag_args);
  std::string nested_name(NameTraits& traits, bool tag_args);
  std::string local_name(NameTraits& traits, bool tag_args);
  std::string unqualified_name(std::string_view scope, NameTraits& traits);
  std::string source_name();
  std::string operator_name(NameTraits& traits);
  std::string structor_name(std::string_view scope);
  std::string unnamed_type();
  std::string lambda();
  std::string abi_tags(std::string text);
  bool skip_discriminator();
  std::string substitution();
  std::string with_template_args(std::string text, bool tag_args);

  // Types (itanium_types.cc) and template arguments (itanium_args.cc).
  Type type();
  Type unremembered_type(bool& remember);
  Type qualified_type();
  Type builtin_type(bool& remember);
  Type extended_type(bool& remember);
  Type named_type(bool& remember);
  Type substituted_type(bool& remember);
  Type parameter_type();
  Type function_type();
  Type array_type();
  Type member_pointer_type();
  Type pointer_to(Type target, std::string_view sign, TypeForm form);
  Type template_param();
  std::string parameter_list();
  std::string type_text() { return text_of(type()); }
  static std::string text_of(const Type& type);
  static Type plain(std::string text) { return {.left = std::move(text), .right = {}, .pack = {}}; }
  static Type map_type(const Type& type, std::string_view suffix);
  Args template_args();
  Type template_arg();
  static std::string join(const Args& args);

  // Expressions (itanium_expressions.cc).
  std::string expression();
  std::string literal();
  std::string operator_expression();
  std::string named_expression();
  std::string call_like_expression();
  std::string new_expression(bool global);
  std::string fold_expression();
  std::string parameter_reference();
  std::string unresolved_name();
  std::string base_unresolved_name();
  std::string expressions_until_end();

  std::string_view input_;
  std::size_t at_ = 0;
  std::vector<Type> substitutions_;
  Args template_args_;  // of the function whose signature is read
  bool template_args_known_ = false;
  Args later_args_;  // of the first pass, for references ahead of their arguments
  bool refers_ahead_ = false;
  bool in_conversion_ = false;  // what follows its T_ are arguments of the operator, not of T_
  int lambda_depth_ = 0;        // in a lambda's parameters, template parameters are its `auto`s
  std::size_t budget_ = std::size_t{1} << 20;
  int depth_ = 0;
  bool failed_ = false;
};

// "+" for "pl", and how many operands it takes in an expression.
struct ItaniumOperator {
  std::string_view code;
  std::string_view text;
  int operands;
};
const ItaniumOperator* find_itanium_operator(std::string_view code);

}  // namespace perfgap
