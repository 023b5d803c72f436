// The JSON report: valid whatever the names, complete, and documented.
#include "reports/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "hostile_names.h"
#include "model/utf8.h"
#include "sample_analysis.h"

namespace perfgap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string document() {
  std::ifstream file(PERFGAP_SOURCE_DIR "/docs/reference/report-json.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void collect_keys(const json& value, std::set<std::string>& keys) {
  for (const auto& [key, child] : value.items()) {
    if (value.is_object()) keys.insert(key);
    if (child.is_structured() && key != "losses") collect_keys(child, keys);
  }
}

// The keys of an object in the order they are written.
std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// Every key that is written is in the reference, in backticks.
TEST(Json, EveryKeyIsDocumented) {
  SampleAnalysis sample;
  sample.analysis.utilisation.launchers = {{1, 0, 2, "child", 1, true}};
  std::set<std::string> keys;
  collect_keys(json::parse(json_report(sample.analysis)), keys);

  const std::string text = document();
  EXPECT_GT(keys.size(), 80);
  for (const std::string& key : keys)
    EXPECT_NE(text.find("`" + key + "`"), std::string::npos) << key;
}

// The top level is the contract: these keys in this order, under this schema.
TEST(Json, TopLevelIsStable) {
  const ordered_json report = ordered_json::parse(json_report(SampleAnalysis().analysis));
  EXPECT_EQ(report["schema"], "perfgap.report/1");
  EXPECT_EQ(keys_of(report), (std::vector<std::string>{"schema", "rule_hash", "metric", "trust",
                                                       "utilisation", "stacks", "categories",
                                                       "functions", "threads", "notes", "run"}));
}

// Figures arrive as they are: weights exact, shares unrounded, intervals as pairs.
TEST(Json, CarriesTheAnalysis) {
  SampleAnalysis sample;
  sample.analysis.notes = {"a note"};
  const json report = json::parse(json_report(sample.analysis));

  EXPECT_EQ(report["metric"]["total"], sample.analysis.total);
  EXPECT_EQ(report["metric"]["samples"], 4922);
  const CategoryShare& first = sample.analysis.categories[0];
  EXPECT_EQ(report["categories"][0]["spent_in"], first.spent_in);
  EXPECT_EQ(report["categories"][0]["spent_in_share"], first.spent_in_share);
  EXPECT_EQ(report["categories"][0]["spent_in_interval"],
            (json{first.spent_in_interval.low, first.spent_in_interval.high}));
  EXPECT_EQ(report["functions"].size(), sample.analysis.functions.size());
  EXPECT_EQ(report["functions"][2]["tiers"], (json{"interpreted", "optimised"}));
  EXPECT_EQ(report["threads"][0]["cpu_ns"], 9'860'000'000);
  EXPECT_EQ(report["stacks"]["incomplete"][0], (json{{"cause", "no_root"}, {"samples", 12}}));
  EXPECT_EQ(report["utilisation"]["verdict"], "cpu_bound");
  EXPECT_EQ(report["run"]["processes"][0]["command"], "node --perf-basic-prof hono.ts");
  EXPECT_EQ(report["notes"], json{"a note"});
}

// Rows that are no roll-ups sum to the total; a roll-up that no row follows counts as a row.
TEST(Json, RowsSumToTheTotal) {
  const SampleAnalysis sample;
  const json report = json::parse(json_report(sample.analysis));
  std::int64_t sum = 0;
  for (const json& row : report["categories"]) {
    if (!row["is_rollup"]) sum += row["spent_in"].get<std::int64_t>();
  }
  EXPECT_EQ(sum, sample.analysis.total);
}

// What is not known is null: shares without an interval, CPU time without accounting, NaN and
// infinity.
TEST(Json, UnknownIsNull) {
  SampleAnalysis sample;
  sample.analysis.categories = category_rows({{"app.user", 12, 12}});
  sample.analysis.utilisation = {.cores = std::numeric_limits<double>::quiet_NaN()};
  sample.analysis.delivered_hz = std::numeric_limits<double>::infinity();
  sample.analysis.threads[0].use.reset();
  sample.profile.run = {};
  const json report = json::parse(json_report(sample.analysis));

  EXPECT_TRUE(report["categories"][0]["spent_in_share"].is_null());
  EXPECT_TRUE(report["categories"][0]["spent_in_interval"].is_null());
  EXPECT_EQ(report["categories"][0]["samples"], 12);
  EXPECT_TRUE(report["utilisation"]["cores"].is_null());
  EXPECT_TRUE(report["metric"]["delivered_hz"].is_null());
  EXPECT_TRUE(report["threads"][0]["cpu_ns"].is_null());
  EXPECT_TRUE(report["run"].is_null());
}

// Keys that a newer version's manifest holds do not enter the report.
TEST(Json, UnknownManifestKeysStayOut) {
  SampleAnalysis sample;
  sample.profile.run.unknown_json = R"({"schema_of_tomorrow":[1]})";
  EXPECT_EQ(json_report(sample.analysis), json_report(SampleAnalysis().analysis));
}

// Any bytes in names give valid JSON, from which the bytes can be had again.
TEST(Json, HostileNamesStayValidAndLossless) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    SampleAnalysis sample;
    const std::string name = hostile_name(random);
    sample.analysis.functions[0].name = name;
    sample.analysis.threads[0].name = hostile_name(random);
    sample.analysis.categories[0].name = hostile_name(random);
    sample.analysis.notes = {hostile_name(random)};
    sample.analysis.trust.reasons = {hostile_name(random)};
    sample.profile.run.losses = {{hostile_name(random), 1}};
    sample.profile.run.processes[0].command = hostile_name(random);

    const std::string text = json_report(sample.analysis);
    const json report = json::parse(text, nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << seed;
    ASSERT_EQ(unescape_from_utf8(report["functions"][0]["name"].get<std::string>()), name) << seed;
    ASSERT_EQ(text, json_report(sample.analysis)) << "the same twice";
  }
}

}  // namespace
}  // namespace perfgap
