// The error value every fallible function returns: one line that a user can act on.
//
// A message names the thing, the cause and the remedy ("pid 4242: no such process"); it carries no
// program name and no newline. `kind` decides the exit code of the command line.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace perfgap {

enum class ErrorKind {
  usage,   // the request itself is wrong: exit code 2
  failed,  // the request is sound but could not be carried out: exit code 1
};

struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::failed;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message), ErrorKind::failed});
}

inline std::unexpected<Error> usage_error(std::string message) {
  return std::unexpected(Error{std::move(message), ErrorKind::usage});
}

}  // namespace perfgap
