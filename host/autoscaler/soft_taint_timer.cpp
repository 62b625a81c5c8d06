#include "autoscaler/soft_taint_timer.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/node_marks.hpp"

namespace capstan::autoscaler {
namespace {

bool is_about_soft_taint(const engine::NodeChange& change) {
    const auto& drops = change.drop_taints;
    return std::ranges::find(change.set_taints, engine::deletion_candidate_taint, &Taint::key) !=
               change.set_taints.end() ||
           std::ranges::find(drops, engine::deletion_candidate_taint) != drops.end();
}

}  // namespace

struct SoftTaintTimer::Times {
    std::mutex mutex{};
    std::optional<Duration> begun{};
    Duration ended{};
    int open = 0;
};

SoftTaintTimer::SoftTaintTimer(ClusterClient& cluster, io::Loop& loop)
    : cluster_(cluster), loop_(loop), times_(std::make_shared<Times>()) {}

void SoftTaintTimer::change(const engine::NodeChange& change, Done done) {
    if (!is_about_soft_taint(change)) return cluster_.change(change, std::move(done));
    {
        const std::lock_guard lock(times_->mutex);
        if (!times_->begun) times_->begun = loop_.monotonic();
        ++times_->open;
    }
    cluster_.change(change,
                    [times = times_, &loop = loop_, done = std::move(done)](Result<void> result) {
                        {
                            const std::lock_guard lock(times->mutex);
                            times->ended = loop.monotonic();
                            --times->open;
                        }
                        done(std::move(result));
                    });
}

void SoftTaintTimer::evict(const engine::Eviction& eviction, Done done) {
    cluster_.evict(eviction, std::move(done));
}

std::optional<Duration> SoftTaintTimer::took() const {
    Times& times = *times_;
    const std::lock_guard lock(times.mutex);
    if (!times.begun || times.open > 0) return std::nullopt;
    return times.ended - *times.begun;
}

}  // namespace capstan::autoscaler
