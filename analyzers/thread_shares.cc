// The thread table.
#include "analyzers/thread_shares.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace perfgap {
namespace {

struct ThreadTally {
  std::int64_t weight = 0;
  std::int64_t samples = 0;
  std::map<std::string, std::int64_t> by_name;  // a thread may rename itself
  std::optional<CpuUse> use;
};

}  // namespace

std::vector<ThreadShare> thread_shares(const Profile& profile, const Measures& measures) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, ThreadTally> tallies;  // by pid and tid
  for (const ThreadRun& run : profile.run.threads) {
    ThreadTally& tally = tallies[{run.pid, run.tid}];
    tally.by_name.try_emplace(run.name, 0);
    if (!tally.use) tally.use.emplace();
    tally.use->cpu_ns += run.use.cpu_ns;
    tally.use->wait_ns += run.use.wait_ns;
  }
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const Thread& thread = profile.thread(profile.samples().thread[i]);
    ThreadTally& tally = tallies[{thread.pid, thread.tid}];
    tally.weight += measures.weight(i);
    tally.samples += measures.count(i);
    tally.by_name[std::string(profile.text(thread.name))] += measures.weight(i);
  }

  std::vector<ThreadShare> shares;
  for (const auto& [ids, tally] : tallies) {
    const auto heaviest =
        std::ranges::max_element(tally.by_name, {}, [](const auto& entry) { return entry.second; });
    shares.push_back({.pid = ids.first,
                      .tid = ids.second,
                      .name = heaviest->first,
                      .weight = tally.weight,
                      .samples = tally.samples,
                      .use = tally.use});
  }
  std::ranges::sort(shares, [](const ThreadShare& left, const ThreadShare& right) {
    return std::tie(right.weight, left.tid, left.pid) < std::tie(left.weight, right.tid, right.pid);
  });
  return shares;
}

}  // namespace perfgap
