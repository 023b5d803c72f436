// Capture -> Profile: names for every address, and the verdict whether each user stack reached its
// root.
//
// The only entry to this folder. Nothing of the target is executed; its files and maps are hostile
// input: bounded in size, and a bad one costs its names and a note in `run.notes`, never the run.
#pragma once

#include <string>

#include "model/capture.h"
#include "model/error.h"
#include "model/profile.h"

namespace perfgap {

struct SymbolizeOptions {
  std::string kallsyms_path = "/proc/kallsyms";
};

// Value types of the result: samples/count, then the capture's weight. Samples are merged and
// ordered.
Profile symbolize(const Capture& capture, const SymbolizeOptions& options = {});

}  // namespace perfgap
