// The run's facts as JSON.
#include "model/run_info.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/model/profiles.h"

namespace perfgap::testing {
namespace {

using nlohmann::json;

void expect_filled(const json& value, const std::string& path) {
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) expect_filled(item, path + "." + key);
  } else if (value.is_array()) {
    ASSERT_FALSE(value.empty()) << path;
    expect_filled(value.front(), path + "[0]");
  } else if (path.find("losses") == std::string::npos) {
    EXPECT_NE(value, value.is_string() ? json("") : json(0)) << path;
  }
}

// Every field is in the JSON, with the value it has.
TEST(RunInfoJson, HoldsEveryField) {
  const json object = json::parse(run_info_to_json(full_run()));
  expect_filled(object, "run");
  EXPECT_EQ(object["host"], "web-1");
  EXPECT_EQ(object["event"]["name"], "cpu-clock");
  EXPECT_EQ(object["event"]["excludes_user"], true);
  EXPECT_EQ(object["follows_children"], false);
  EXPECT_EQ(object["processes"][0]["executables"][1], "/usr/bin/other");
  EXPECT_EQ(object["processes"][0]["use"]["cpu_ns"], 5'000'000'000);
  EXPECT_EQ(object["threads"][0]["use"]["wait_ns"], 2);
  EXPECT_EQ(object["losses"]["ring full"], 17);
  EXPECT_EQ(object["overhead"]["collector_cpu_ns"], 456);
  EXPECT_EQ(object["start_unix_ns"], 1'700'000'000'123'456'789);
}

// Reading what was written gives every field back, bytes that are no UTF-8 included.
TEST(RunInfoJson, ComesBackWhole) {
  const RunInfo run = full_run();
  const Result<RunInfo> back = run_info_from_json(run_info_to_json(run));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(run_info_to_json(*back), run_info_to_json(run));
  EXPECT_EQ(back->host, run.host);
  EXPECT_EQ(back->processes[0].command, run.processes[0].command);
  EXPECT_EQ(back->processes[0].exit_status, 137);
  EXPECT_FALSE(back->processes[0].counted);
  EXPECT_EQ(back->processes[0].executables, run.processes[0].executables);
  EXPECT_EQ(back->threads[0].use.wait_ns, 2U);
  EXPECT_EQ(back->losses, run.losses);
  EXPECT_EQ(back->notes, run.notes);
  EXPECT_EQ(back->event.reason, run.event.reason);
  EXPECT_EQ(back->start_unix_ns, run.start_unix_ns);
  EXPECT_EQ(back->unknown_json, run.unknown_json);
}

// One line, whatever the target calls itself.
TEST(RunInfoJson, IsOneLine) {
  RunInfo run;
  run.host = "a\nb\r";
  EXPECT_EQ(run_info_to_json(run).find_first_of("\r\n"), std::string::npos);
}

// Keys of a later version survive; those that are missing keep their defaults.
TEST(RunInfoJson, KeepsUnknownKeysAndFillsMissingOnes) {
  const Result<RunInfo> run = run_info_from_json(R"({"host":"h","new":{"x":[1]}})");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->host, "h");
  EXPECT_TRUE(run->follows_children);
  EXPECT_EQ(run->unknown_json, R"({"new":{"x":[1]}})");
  EXPECT_EQ(json::parse(run_info_to_json(*run))["new"]["x"][0], 1);
}

// A value of the wrong type or out of range is an error that names its key.
TEST(RunInfoJson, RefusesValuesOfTheWrongType) {
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {R"({"host":1})", "host"},
           {R"({"cpus_online":-1})", "cpus_online"},
           {R"({"cpus_online":4294967296})", "cpus_online"},
           {R"({"run_ms":1.5})", "run_ms"},
           {R"({"follows_children":"yes"})", "follows_children"},
           {R"({"processes":{}})", "processes"},
           {R"({"processes":[{"pid":"x"}]})", "processes"},
           {R"({"losses":{"ring full":-2}})", "losses"},
           {R"({"event":[]})", "event"},
           {R"({"notes":[1]})", "notes"}}) {
    const Result<RunInfo> run = run_info_from_json(text);
    ASSERT_FALSE(run) << text;
    EXPECT_NE(run.error().message.find("'" + key + "'"), std::string::npos) << run.error().message;
  }
}

// What is no JSON object, or nested without end, is refused.
TEST(RunInfoJson, RefusesWhatIsNoObject) {
  for (const std::string text : {"", "{", "[]", "1", "{\"a\":}", "null", "{}x"}) {
    EXPECT_FALSE(run_info_from_json(text)) << text;
  }
  const std::string deep = "{\"a\":" + std::string(1'000'000, '[');
  ASSERT_FALSE(run_info_from_json(deep));
  EXPECT_NE(run_info_from_json(deep).error().message.find("nested too deep"), std::string::npos);
}

}  // namespace
}  // namespace perfgap::testing
