// The manifest as a JSON value, for those in this folder who add keys of their own. Hostile text is
// bounded in depth.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "model/error.h"
#include "model/run_info.h"

namespace perfgap {

// An object, nested no deeper than a manifest needs.
Result<nlohmann::json> parse_json_object(std::string_view text);

nlohmann::json run_info_to_object(const RunInfo& run);
// Keys that are not a RunInfo's go to `unknown_json`.
Result<RunInfo> run_info_from_object(const nlohmann::json& object);

}  // namespace perfgap
