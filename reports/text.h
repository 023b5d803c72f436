// The screen: one page of text for a person.
#pragma once

#include <string>

#include "analyzers/analysis.h"

namespace perfgap {

struct TextOptions {
  int width = 80;       // columns, at least 80
  bool colour = false;  // ANSI colours
};

std::string text_report(const Analysis& analysis, const TextOptions& options = {});

}  // namespace perfgap
