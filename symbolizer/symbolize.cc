#include "symbolizer/symbolize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "symbolizer/demangle.h"
#include "symbolizer/image_resolver.h"
#include "symbolizer/kernel_symbols.h"
#include "symbolizer/modules.h"
#include "symbolizer/root.h"

namespace perfgap {
namespace {

constexpr std::uint64_t kKernelStart = 0xffff800000000000;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::string_view kKernel = "[kernel]";
constexpr std::string_view kHiddenNote =
    "kernel symbols are hidden (kptr_restrict): run as root or set kernel.kptr_restrict=0";

// The place that names frame `i` of a stack, leaf first: a caller's address is where it will
// return to, which can be the first byte of the next function.
std::uint64_t lookup_address(std::span<const std::uint64_t> stack, std::size_t i) {
  return i == 0 ? stack[i] : stack[i] - 1;
}

// Names kernel addresses; reads the list of symbols when the first is asked for.
class KernelResolver {
 public:
  KernelResolver(Profile& profile, std::string kallsyms_path, std::vector<std::string>& notes)
      : profile_(profile), path_(std::move(kallsyms_path)), notes_(notes) {}

  FrameId resolve(std::uint64_t address) {
    const auto [known, added] = known_.try_emplace(address);
    if (added) known->second = resolve_uncached(address);
    return known->second;
  }

 private:
  const KernelSymbols& symbols() {
    if (!symbols_) {
      symbols_ = KernelSymbols::load(path_);
      if (symbols_->hidden()) {
        notes_.emplace_back(kHiddenNote);
      } else if (symbols_->empty()) {
        notes_.push_back(fmt::format("{}: no kernel symbols could be read", path_));
      }
    }
    return *symbols_;
  }

  FrameId resolve_uncached(std::uint64_t address) {
    const auto found = symbols().find(address);
    Frame frame{.address = address, .kind = FrameKind::kernel};
    std::string_view module = kKernel;
    if (found) {
      if (!found->module.empty()) module = found->module;
      frame.function = profile_.intern(Function{.name = profile_.intern(readable_name(found->name)),
                                                .system_name = profile_.intern(found->name),
                                                .file = {}});
    }
    frame.mapping = profile_.intern(Mapping{.start = kKernelStart,
                                            .limit = UINT64_MAX,
                                            .file = profile_.intern(module),
                                            .build_id = {}});
    return profile_.intern(frame);
  }

  Profile& profile_;
  std::string path_;
  std::vector<std::string>& notes_;
  std::optional<KernelSymbols> symbols_;
  std::unordered_map<std::uint64_t, FrameId> known_;
};

class Symbolizer {
 public:
  Symbolizer(const Capture& capture, const SymbolizeOptions& options)
      : capture_(capture), kernel_(profile_, options.kallsyms_path, notes_), modules_(notes_) {}

  Profile run() {
    profile_.set_value_types(
        {{profile_.intern("samples"), profile_.intern("count")},
         {profile_.intern(capture_.weight_type), profile_.intern(capture_.weight_unit)}});
    profile_.default_type = profile_.intern(capture_.weight_type);
    profile_.period = capture_.period;
    profile_.run = capture_.run;
    for (auto& [place, samples] : samples_by_image()) {
      const auto [process, image] = place;
      add_image(capture_.processes[process], capture_.processes[process].images[image], samples);
    }
    profile_.merge_samples();
    for (std::string& note : notes_) {
      auto& notes = profile_.run.notes;
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    }
    return std::move(profile_);
  }

 private:
  using SampleList = std::vector<const CapturedSample*>;
  using Place = std::pair<std::uint32_t, std::size_t>;  // process, image

  // The samples of each program image, in the order of time.
  [[nodiscard]] std::map<Place, SampleList> samples_by_image() const {
    std::map<Place, SampleList> samples;
    for (const CapturedSample& sample : capture_.samples) {
      const auto& images = capture_.processes[sample.process].images;
      const auto later =
          std::ranges::upper_bound(images, sample.time_ns, {}, &CapturedImage::begin_ns);
      const auto image = later == images.begin() ? 0 : later - images.begin() - 1;
      samples[{sample.process, static_cast<std::size_t>(image)}].push_back(&sample);
    }
    for (auto& [place, list] : samples)
      std::ranges::stable_sort(list, {}, &CapturedSample::time_ns);
    return samples;
  }

  void add_image(const CapturedProcess& process, const CapturedImage& image,
                 const SampleList& samples) {
    std::vector<std::uint64_t> addresses;
    if (!image.perf_map.empty()) addresses = user_addresses(samples);
    ImageResolver resolver(profile_, modules_, image, addresses);
    for (const CapturedSample* sample : samples) {
      resolver.advance(sample->time_ns);
      add_sample(process, image, *sample, resolver);
    }
    for (std::string& note : resolver.notes(process.pid)) notes_.push_back(std::move(note));
  }

  [[nodiscard]] std::vector<std::uint64_t> user_addresses(const SampleList& samples) const {
    std::vector<std::uint32_t> stacks;
    for (const CapturedSample* sample : samples) stacks.push_back(sample->user_stack);
    std::ranges::sort(stacks);
    stacks.erase(std::ranges::unique(stacks).begin(), stacks.end());
    std::vector<std::uint64_t> addresses;
    for (const std::uint32_t index : stacks) {
      const auto stack = capture_.stacks.at(index);
      for (std::size_t i = 0; i < stack.size(); i++) addresses.push_back(lookup_address(stack, i));
    }
    std::ranges::sort(addresses);
    addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
    return addresses;
  }

  void add_sample(const CapturedProcess& process, const CapturedImage& image,
                  const CapturedSample& sample, ImageResolver& resolver) {
    const auto user = capture_.stacks.at(sample.user_stack);
    std::vector<FrameId> frames;  // leaf first
    std::vector<RootFrame> judged;
    for (std::size_t i = 0; i < user.size(); i++) {
      const ResolvedFrame resolved = resolver.resolve(lookup_address(user, i), i > 0);
      frames.push_back(resolved.frame);
      judged.push_back({.mapped = resolved.mapped, .entry = resolved.entry});
    }
    const RootVerdict verdict = judge_root(judged, sample.outcome);
    StackId stack;
    for (std::size_t i = verdict.depth; i-- > 0;)
      stack = profile_.intern(StackNode{.parent = stack, .frame = frames[i]});
    const auto kernel = capture_.stacks.at(sample.kernel_stack);
    for (std::size_t i = kernel.size(); i-- > 0;) {
      const FrameId frame = kernel_.resolve(lookup_address(kernel, i));
      stack = profile_.intern(StackNode{.parent = stack, .frame = frame});
    }
    profile_.add({.stack = stack,
                  .thread = thread_of(process, image, sample),
                  .time_ms = time_of(sample),
                  .outcome = verdict.outcome,
                  .labels = {},
                  .values = {1, static_cast<std::int64_t>(sample.weight)}});
  }

  ThreadId thread_of(const CapturedProcess& process, const CapturedImage& image,
                     const CapturedSample& sample) {
    return profile_.intern(
        Thread{.pid = process.pid,
               .tid = sample.tid,
               .comm = profile_.intern(image.comm),
               .name = profile_.intern(capture_.thread_names[sample.thread_name])});
  }

  [[nodiscard]] std::uint32_t time_of(const CapturedSample& sample) const {
    const std::uint64_t since =
        sample.time_ns > capture_.start_ns ? sample.time_ns - capture_.start_ns : 0;
    const std::uint64_t ms = since / kNsPerMs / kTimeStepMs * kTimeStepMs;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(ms, kNoTime - 1 - (kNoTime - 1) % kTimeStepMs));
  }

  const Capture& capture_;
  Profile profile_;
  std::vector<std::string> notes_;
  KernelResolver kernel_;
  Modules modules_;
};

}  // namespace

Profile symbolize(const Capture& capture, const SymbolizeOptions& options) {
  return Symbolizer(capture, options).run();
}

}  // namespace perfgap
