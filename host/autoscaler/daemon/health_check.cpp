#include "autoscaler/daemon/health_check.hpp"

#include <algorithm>

#include <capstan/duration.hpp>

namespace capstan::autoscaler::daemon {
void HealthCheck::set_limits(const config::Admin& limits) {
    const std::lock_guard lock(mutex_);
    max_inactivity_ = limits.max_inactivity;
    max_failing_time_ = limits.max_failing_time;
    // A start is given no less time than a pass.
    max_startup_time_ =
        std::max({limits.max_startup_time, limits.max_inactivity, limits.max_failing_time});
}

bool HealthCheck::is_watching(std::uint64_t term) const {
    const std::lock_guard lock(mutex_);
    return began_ && term_ == term;
}

void HealthCheck::begin(std::uint64_t term, Duration now) {
    const std::lock_guard lock(mutex_);
    term_ = term;
    began_ = now;
    last_activity_ = now;
    last_success_.reset();
}

void HealthCheck::stand_by() {
    const std::lock_guard lock(mutex_);
    began_.reset();
}

void HealthCheck::pass_began(Duration now) {
    const std::lock_guard lock(mutex_);
    last_activity_ = now;
}

void HealthCheck::pass_succeeded(Duration now) {
    const std::lock_guard lock(mutex_);
    last_success_ = now;
}

std::string HealthCheck::inactivity(Duration now) const {
    if (!began_ || now - last_activity_ <= max_inactivity_) return {};
    return "no pass has started for " + format_rough_duration(now - last_activity_);
}

std::string HealthCheck::stuck(Duration now) const {
    const std::lock_guard lock(mutex_);
    return inactivity(now);
}

std::string HealthCheck::complaint(Duration now) const {
    const std::lock_guard lock(mutex_);
    if (!began_) return {};
    if (const std::string inactive = inactivity(now); !inactive.empty()) return inactive;
    if (last_success_ && now - *last_success_ > max_failing_time_)
        return "no pass has succeeded for " + format_rough_duration(now - *last_success_);
    if (!last_success_ && now - *began_ > max_startup_time_)
        return "no pass has succeeded since the start " + format_rough_duration(now - *began_) +
               " ago";
    return {};
}

}  // namespace capstan::autoscaler::daemon
