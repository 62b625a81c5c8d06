#include "simulator/run_statistics.hpp"

#include <algorithm>
#include <chrono>

namespace capstan::simulator {
namespace {

constexpr double milliseconds_per_hour = 3'600'000;

/// The smallest wait that `percent` of all waits do not exceed. `waits` is sorted and not empty.
Duration percentile(const std::vector<Duration>& waits, std::size_t percent) {
    const std::size_t rank = (waits.size() * percent + 99) / 100;
    return waits[std::max<std::size_t>(rank, 1) - 1];
}

std::optional<double> used_share(double used, double all) {
    return all > 0 ? std::optional(used / all) : std::nullopt;
}

}  // namespace

Load& Load::operator+=(const Load& other) noexcept {
    cpu += other.cpu;
    memory += other.memory;
    return *this;
}
Load& Load::operator-=(const Load& other) noexcept {
    cpu -= other.cpu;
    memory -= other.memory;
    return *this;
}

void RunStatistics::reach(Time now) {
    const std::int64_t ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - now_).count();
    now_ = now;
    for (const auto& [group, nodes] : nodes_of_) node_time_of_[group] += nodes * ms;
    const auto weight = static_cast<double>(ms);
    cpu_time_ += weight * static_cast<double>(allocatable_.cpu);
    cpu_used_ += weight * static_cast<double>(requested_.cpu);
    memory_time_ += weight * static_cast<double>(allocatable_.memory);
    memory_used_ += weight * static_cast<double>(requested_.memory);
}

void RunStatistics::bound(Duration waited) {
    ++summary_.pods_bound;
    waits_.push_back(waited);
}

void RunStatistics::node_joined(const std::string& group, const Load& allocatable) {
    ++nodes_of_[group];
    allocatable_ += allocatable;
    summary_.nodes_peak = std::max(summary_.nodes_peak, ++nodes_);
    if (now_ == start_) summary_.nodes_start = nodes_;
}

void RunStatistics::node_vanished(const std::string& group, const Load& allocatable) {
    --nodes_of_[group];
    allocatable_ -= allocatable;
    --nodes_;
}

void RunStatistics::price(const std::string& group, std::optional<double> per_hour) {
    price_of_[group] = per_hour;
}

Summary RunStatistics::summary() const {
    Summary out = summary_;
    out.span = now_ - start_;
    out.nodes_end = nodes_;
    std::vector<Duration> waits = waits_;
    std::ranges::sort(waits);
    if (!waits.empty()) {
        out.pending_p50 = percentile(waits, 50);
        out.pending_p95 = percentile(waits, 95);
        out.pending_max = waits.back();
    }
    std::vector<Duration> removals = removals_;
    std::ranges::sort(removals);
    if (!removals.empty()) {
        out.removal_p50 = percentile(removals, 50);
        out.removal_max = removals.back();
    }
    bool all_priced = false;
    double cost = 0;
    for (const auto& [group, ms] : node_time_of_) {
        const double hours = static_cast<double>(ms) / milliseconds_per_hour;
        out.node_hours += hours;
        out.node_hours_of[group] = hours;
    }
    for (const auto& [group, price] : price_of_) {
        const auto used = out.node_hours_of.find(group);
        if (used == out.node_hours_of.end()) continue;
        all_priced = price.has_value();
        if (!all_priced) break;
        cost += used->second * *price;
    }
    if (all_priced) out.cost = cost;
    out.cpu_used = used_share(cpu_used_, cpu_time_);
    out.memory_used = used_share(memory_used_, memory_time_);
    return out;
}

}  // namespace capstan::simulator
