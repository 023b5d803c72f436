// "did you mean ...?": the known word nearest to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgap {

// The remedy part of an error: "did you mean 'thread'?", or all known words where none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

std::string suggestion(std::string_view word, std::span<const char* const> known);

}  // namespace perfgap
