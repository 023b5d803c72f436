// Template arguments of C++ names, and references to them.
#include <string>
#include <utility>

#include "symbolizer/itanium.h"

namespace perfgap {

ItaniumParser::Args ItaniumParser::template_args() {
  const Level level(*this);
  Args args;
  if (!take_if('I')) fail();
  while (!failed_ && !take_if('E')) {
    if (done()) fail();
    if (failed_) break;
    args.push_back(template_arg());
    if (take_if('Q')) expression();  // a constraint
  }
  return args;
}

ItaniumParser::Type ItaniumParser::template_arg() {
  const Level level(*this);
  if (failed_) return {};
  if (take_if('X')) {
    Type out = plain(spend(expression()));
    if (!take_if('E')) fail();
    return out;
  }
  if (peek() == 'L') return plain(spend(literal()));
  if (peek() == 'J' || peek() == 'I') {
    at_++;
    Type pack{.left = {}, .right = {}, .form = TypeForm::pack, .pack = {}};
    while (!failed_ && !take_if('E')) {
      if (done()) fail();
      if (!failed_) pack.pack.push_back(text_of(template_arg()));
    }
    return spend(std::move(pack));
  }
  return type();
}

ItaniumParser::Type ItaniumParser::parameter_type() {
  if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
    at_ += 2;
    bool unused = false;
    return named_type(unused);
  }
  Type out = template_param();
  if (peek() != 'I' || in_conversion_) return out;
  substitutions_.push_back(spend(out));
  return plain(with_template_args(text_of(out), false));
}

ItaniumParser::Type ItaniumParser::template_param() {
  if (!take_if('T')) {
    fail();
    return {};
  }
  if (take_if('L')) {
    index_number();
    return plain("auto");
  }
  const std::size_t index = index_number();
  if (failed_) return {};
  if (lambda_depth_ > 0) return plain("auto:" + std::to_string(index + 1));
  if (template_args_known_ && index < template_args_.size()) return spend(template_args_[index]);
  refers_ahead_ = true;
  if (index < later_args_.size()) return spend(later_args_[index]);
  return plain("auto");
}

std::string ItaniumParser::join(const Args& args) {
  std::string text;
  for (const Type& arg : args) {
    const std::string element = text_of(arg);
    if (element.empty()) continue;
    if (!text.empty()) text += ", ";
    text += element;
  }
  return text;
}

}  // namespace perfgap
