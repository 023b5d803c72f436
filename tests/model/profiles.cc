#include "tests/model/profiles.h"

#include <random>
#include <sstream>

namespace perfgap::testing {
namespace {

void describe_frame(std::ostream& out, const Profile& profile, FrameId id) {
  const Frame& frame = profile.frame(id);
  const Mapping& mapping = profile.mapping(frame.mapping);
  const Function& function = profile.function(frame.function);
  out << '{' << to_string(frame.kind) << ' ' << to_string(frame.tier) << ' ' << frame.address << ' '
      << frame.line << " | " << profile.text(function.name) << '|'
      << profile.text(function.system_name) << '|' << profile.text(function.file) << ':'
      << function.start_line << " | " << mapping.start << '-' << mapping.limit << '+'
      << mapping.file_offset << ' ' << profile.text(mapping.file) << ' '
      << profile.text(mapping.build_id) << '}';
}

ThreadId thread(Profile& profile, std::uint64_t pid, std::uint64_t tid, std::string_view comm,
                std::string_view name) {
  return profile.intern(Thread{pid, tid, profile.intern(comm), profile.intern(name)});
}

// A leaf with two functions inlined into it, as a line table would give it.
StackId stack_with_inlined(Profile& profile, StackId parent) {
  const MappingId module = profile.intern(Mapping{
      0x400000, 0x500000, 0x1000, profile.intern("/usr/bin/server"), profile.intern("00ff12ab")});
  const auto inlined = [&](std::string_view name, std::uint32_t line) {
    const FunctionId function = profile.intern(Function{
        profile.intern(name), profile.intern("_Z" + std::string(name)), profile.intern("a.h"), 3});
    return Frame{function, module, 0x400123, line, FrameKind::inlined, Tier::none};
  };
  Frame outer = inlined("outer", 40);
  outer.kind = FrameKind::native;
  StackId node = profile.intern(StackNode{parent, profile.intern(outer)});
  node = profile.intern(StackNode{node, profile.intern(inlined("middle", 50))});
  return profile.intern(StackNode{node, profile.intern(inlined("inner", 60))});
}

}  // namespace

FrameId frame(Profile& profile, std::string_view name, std::string_view module, FrameKind kind,
              std::uint64_t address) {
  const StringId text = profile.intern(name);
  const FunctionId function =
      name.empty() ? FunctionId() : profile.intern(Function{text, text, StringId(), 0});
  const MappingId mapping =
      module.empty() ? MappingId() : profile.intern(Mapping{0, 0, 0, profile.intern(module), {}});
  return profile.intern(Frame{function, mapping, address, 0, kind, Tier::none});
}

StackId stack(Profile& profile, const std::vector<FrameId>& frames) {
  StackId node;
  for (const FrameId id : frames) node = profile.intern(StackNode{node, id});
  return node;
}

RunInfo full_run() {
  RunInfo run;
  run.tool_version = "0.1.0";
  run.host = "web-1";
  run.kernel = "6.1.0";
  run.machine = "x86_64";
  run.cpus_online = 4;
  run.cpus_sampled = 3;
  run.backend = "BPF";
  run.unwinding = "frame pointers";
  run.event = {"cycles", "cpu-clock", "no hardware PMU here", true, true};
  run.rate_asked_hz = 999;
  run.rate_opened_hz = 499;
  run.start_unix_ns = 1'700'000'000'123'456'789;
  run.asked_ms = 10'000;
  run.run_ms = 9'876;
  run.end_reason = "interrupted";
  run.follows_children = false;
  ProcessRun process;
  process.pid = 4242;
  process.parent_pid = 1;
  process.requested = true;
  process.counted = false;
  process.comm = "server";
  process.command = "/usr/bin/server --name caf\xe9 \x1b[31m";
  process.executables = {"/usr/bin/server", "/usr/bin/other"};
  process.execs = {"other --now"};
  process.began_ms = 12;
  process.exited = true;
  process.ended_ms = 9'000;
  process.exit_status = 137;
  process.use = {5'000'000'000, 7'000};
  run.processes = {process, ProcessRun{}};
  run.threads = {{4242, 4243, "worker", {1, 2}}};
  run.losses = {{"ring full", 17}, {"scratch busy", 0}};
  run.overhead = {123, 456};
  run.rule_hash = "0123456789ab";
  run.notes = {"kernel symbols are hidden", "second \"note\""};
  run.unknown_json = R"({"future":{"a":[1,2.5,null]},"later":"x"})";
  return run;
}

Profile rich_profile() {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")},
                           {profile.intern("cpu"), profile.intern("nanoseconds")}});
  profile.default_type = profile.intern("cpu");
  profile.period = 2'004'008;
  profile.comments = {"for people", "perfgap looks like a summary", ""};
  profile.run = full_run();

  const StackId entry = stack(profile, {frame(profile, "_start", "/usr/bin/server"),
                                        frame(profile, "main", "/usr/bin/server")});
  const ThreadId worker = thread(profile, 4242, 4243, "server", "worker \xff");
  const LabelSetId labels = profile.intern(std::vector<Label>{
      {profile.intern("route"), profile.intern("/a"), 0, {}},
      {profile.intern("bytes"), {}, -5, profile.intern("bytes")},
      {profile.intern("zero"), {}, 0, {}},
  });
  const auto add = [&](StackId leaf, ThreadId of, std::uint32_t time, Outcome outcome,
                       LabelSetId with, std::int64_t count) {
    profile.add({leaf, of, time, outcome, with, {count, count * 2'004'008}});
  };
  std::size_t index = 0;
  for (std::size_t kind = 0; kind < kFrameKinds; ++kind) {
    for (std::size_t tier = 0; tier < kTiers; ++tier, ++index) {
      Frame leaf = profile.frame(frame(profile, "f" + std::to_string(kind), "[jit]",
                                       static_cast<FrameKind>(kind), 0x7f00 + index));
      leaf.tier = static_cast<Tier>(tier);
      add(profile.intern(StackNode{entry, profile.intern(leaf)}), worker,
          static_cast<std::uint32_t>(index * 10), static_cast<Outcome>(index % kOutcomes), {}, 1);
    }
  }
  const FrameId nameless = frame(profile, "", "/lib/libc.so.6", FrameKind::native, 0xdead);
  const FrameId kernel = frame(profile, "tcp_sendmsg", "[kernel]", FrameKind::kernel, 1ULL << 63);
  add(profile.intern(StackNode{entry, nameless}), worker, kNoTime, Outcome::complete, labels, 2);
  add(profile.intern(StackNode{entry, kernel}), ThreadId(), 0, Outcome::unknown, {}, 3);
  add(stack_with_inlined(profile, entry), worker, 10, Outcome::complete, {}, 4);
  add(stack(profile, {frame(profile, "lost", "", FrameKind::inlined, 0)}), worker, 20,
      Outcome::no_root, {}, 5);
  add(stack(profile, {frame(profile, "bad \xc3( name", "/caf\xc3\xa9", FrameKind::native, 1)}),
      thread(profile, 0, 7, "", "x"), 20, Outcome::complete, {}, 6);
  add(StackId(), worker, 30, Outcome::no_user_stack, {}, 7);
  profile.merge_samples();
  return profile;
}

Profile large_profile(std::size_t samples, std::size_t functions, std::size_t depth) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")},
                           {profile.intern("cpu"), profile.intern("nanoseconds")}});
  std::vector<FrameId> frames;
  for (std::size_t i = 0; i < functions; ++i) {
    frames.push_back(frame(profile, "function_" + std::to_string(i), "/usr/bin/server",
                           i % 3 == 0 ? FrameKind::jit : FrameKind::native, 0x1000 + i * 16));
  }
  const ThreadId worker = thread(profile, 10, 11, "server", "worker");
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < samples; ++i) {
    StackId node;
    // Mostly shared near the root, mostly different near the leaf, as stacks of a server are.
    for (std::size_t level = 0; level < depth; ++level) {
      const std::size_t choices = 1 + level * functions / depth;
      node = profile.intern(StackNode{node, frames[random() % choices]});
    }
    profile.add({node,
                 worker,
                 static_cast<std::uint32_t>(i / 5 * 10),
                 Outcome::complete,
                 {},
                 {1, 2'004'008}});
  }
  profile.merge_samples();
  return profile;
}

std::string describe(const Profile& profile) {
  std::ostringstream out;
  out << run_info_to_json(profile.run) << '\n'
      << profile.run.unknown_json << '\n'
      << profile.period << ' ' << profile.text(profile.default_type) << '\n';
  for (const std::string& comment : profile.comments) out << "# " << comment << '\n';
  for (const ValueType& type : profile.value_types()) {
    out << profile.text(type.type) << '/' << profile.text(type.unit) << '\n';
  }
  const SampleColumns& samples = profile.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Thread& of = profile.thread(samples.thread[i]);
    out << of.pid << '/' << of.tid << ' ' << profile.text(of.comm) << '/' << profile.text(of.name)
        << " t=" << samples.time_ms[i] << ' ' << to_string(samples.outcome[i]);
    for (const Label& label : profile.label_set(samples.labels[i])) {
      out << " (" << profile.text(label.key) << '=' << profile.text(label.text) << '|'
          << label.number << profile.text(label.unit) << ')';
    }
    for (const auto& column : samples.values) out << ' ' << column[i];
    for (StackId at = samples.stack[i]; !at.is_none(); at = profile.node(at).parent) {
      describe_frame(out, profile, profile.node(at).frame);
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace perfgap::testing
