/// Collects the figures of a run over its time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulator/report.hpp"

namespace capstan::simulator {

/// CPU and memory that nodes offer or pods request, in the units of Resources.
struct Load {
    std::int64_t cpu = 0, memory = 0;
    Load& operator+=(const Load& other) noexcept;
    Load& operator-=(const Load& other) noexcept;
};

class RunStatistics {
public:
    explicit RunStatistics(Time start) : now_(start), start_(start) {}

    /// Advances to `now`. The state since the last call counts as it is now, so this has to be
    /// called before anything changes.
    void reach(Time now);

    void arrived(std::int64_t pods) noexcept { summary_.pods_arrived += pods; }
    void recreated(std::int64_t pods) noexcept { summary_.pods_recreated += pods; }
    void bound(Duration waited);
    void ended(std::int64_t pods) noexcept { summary_.pods_ended += pods; }
    void passed() noexcept { ++summary_.passes; }
    void evicted() noexcept { ++summary_.evictions; }
    void node_removed() noexcept { ++summary_.nodes_removed; }
    void removal_undone() noexcept { ++summary_.removals_undone; }
    /// `time`: from choosing a node to its being gone.
    void removal_took(Duration time) { removals_.push_back(time); }
    void node_joined(const std::string& group, const Load& allocatable);
    void node_vanished(const std::string& group, const Load& allocatable);
    void requested(const Load& more) noexcept { requested_ += more; }
    void released(const Load& less) noexcept { requested_ -= less; }
    /// `per_hour`: the price of one node of the group; absent: unknown.
    void price(const std::string& group, std::optional<double> per_hour);

    std::int64_t nodes() const noexcept { return nodes_; }
    std::int64_t pods_ended() const noexcept { return summary_.pods_ended; }
    /// The figures as of the last `reach`, without `still_pending`.
    Summary summary() const;

private:
    Time now_, start_;
    Summary summary_{};
    std::vector<Duration> waits_, removals_;
    std::map<std::string, std::int64_t> nodes_of_;
    std::map<std::string, std::int64_t> node_time_of_;  ///< node milliseconds
    std::map<std::string, std::optional<double>> price_of_;
    std::int64_t nodes_ = 0;
    Load allocatable_{}, requested_{};
    double cpu_time_ = 0, cpu_used_ = 0, memory_time_ = 0, memory_used_ = 0;
};

}  // namespace capstan::simulator
