// Profiles written as folded text, so that a test shows its whole input in one line.
//
//   folded_profile("main;dispatch;gc;memcpy 10\nmain;dispatch 30\n")
//
// Root first. A frame may carry its module before a '!' ("libc.so.6!malloc") and its kind after it:
// `_[k]` kernel,
// `_[j]` JIT, `_[i]` inlined, `_[b]` builtin, `_[n]` interpreted; without, it is native code of
// /bin/app. "?app+0x10" is a frame without a name. A line is one row of samples, each worth 1 ms of
// CPU.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/profile.h"

namespace perfgap::testing_support {

inline constexpr std::int64_t kSampleNs = 1'000'000;

struct RowOptions {
  std::string thread = "main";
  std::uint64_t tid = 1;
  std::uint32_t time_ms = kNoTime;
  Outcome outcome = Outcome::complete;
};

// Builds a profile row by row. Value types: samples/count, cpu/nanoseconds.
class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile_.set_value_types({{profile_.intern("samples"), profile_.intern("count")},
                              {profile_.intern("cpu"), profile_.intern("nanoseconds")}});
    profile_.period = kSampleNs;
  }

  // `count` samples with the stack "main;dispatch;gc".
  ProfileBuilder& row(std::string_view stack, std::int64_t count, const RowOptions& options = {}) {
    Sample sample;
    sample.stack = intern_stack(stack);
    sample.thread = profile_.intern(Thread{.pid = 1,
                                           .tid = options.tid,
                                           .comm = profile_.intern("app"),
                                           .name = profile_.intern(options.thread)});
    sample.time_ms = options.time_ms;
    sample.outcome = options.outcome;
    sample.values = {count, count * kSampleNs};
    profile_.add(sample);
    return *this;
  }

  // `count` samples with the stack, one each `step_ms` from 0 on.
  ProfileBuilder& steady(std::string_view stack, std::int64_t count, std::uint32_t step_ms,
                         RowOptions options = {}) {
    for (std::int64_t i = 0; i < count; ++i) {
      options.time_ms = static_cast<std::uint32_t>(i) * step_ms / kTimeStepMs * kTimeStepMs;
      row(stack, 1, options);
    }
    return *this;
  }

  // Lines "stack count".
  ProfileBuilder& lines(std::string_view text, const RowOptions& options = {}) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const std::size_t blank = line.rfind(' ');
      if (blank == std::string_view::npos) continue;
      std::int64_t count = 0;
      std::from_chars(line.data() + blank + 1, line.data() + line.size(), count);
      row(line.substr(0, blank), count, options);
    }
    return *this;
  }

  Profile& profile() { return profile_; }
  Profile take() { return std::move(profile_); }

 private:
  StackId intern_stack(std::string_view stack) {
    StackId node;
    while (!stack.empty()) {
      const std::string_view frame = stack.substr(0, stack.find(';'));
      stack.remove_prefix(std::min(stack.size(), frame.size() + 1));
      node = profile_.intern(StackNode{node, intern_frame(frame)});
    }
    return node;
  }

  FrameId intern_frame(std::string_view text) {
    Frame frame;
    frame.kind = kind_of(text);
    std::string module = frame.kind == FrameKind::kernel ? "[kernel]"
                         : frame.kind == FrameKind::jit  ? "[jit]"
                                                         : "/bin/app";
    if (const std::size_t bang = text.find('!'); bang != std::string_view::npos) {
      module = text.substr(0, bang);
      text.remove_prefix(bang + 1);
    }
    if (text.starts_with('?')) {
      const std::size_t plus = text.find("+0x");
      module = text.substr(1, plus - 1);
      std::from_chars(text.data() + plus + 3, text.data() + text.size(), frame.address, 16);
    } else {
      frame.function = profile_.intern(Function{
          .name = profile_.intern(text), .system_name = profile_.intern(text), .file = {}});
    }
    Mapping mapping;
    mapping.file = profile_.intern(module);
    frame.mapping = profile_.intern(mapping);
    return profile_.intern(frame);
  }

  // Takes the suffix off.
  static FrameKind kind_of(std::string_view& frame) {
    static constexpr std::pair<std::string_view, FrameKind> kSuffixes[] = {
        {"_[k]", FrameKind::kernel},      {"_[j]", FrameKind::jit},
        {"_[i]", FrameKind::inlined},     {"_[b]", FrameKind::builtin},
        {"_[n]", FrameKind::interpreted},
    };
    for (const auto& [suffix, kind] : kSuffixes) {
      if (!frame.ends_with(suffix)) continue;
      frame.remove_suffix(suffix.size());
      return kind;
    }
    return FrameKind::native;
  }

  Profile profile_;
};

inline Profile folded_profile(std::string_view text, const RowOptions& options = {}) {
  return ProfileBuilder().lines(text, options).take();
}

}  // namespace perfgap::testing_support
