#include "instance_addresses.hpp"

#include <utility>

#include "lifecycle.hpp"

namespace capstan::aws {
namespace {

/// EC2 takes no more values in a filter.
constexpr std::size_t instances_a_call = 200;
/// EC2 may not know a new instance at once.
constexpr int questions_max = 3;
constexpr Duration pause_after_failure = std::chrono::minutes(1);

bool is_running(const AsgInstance& instance) {
    const Lifecycle lifecycle = read_lifecycle(instance.lifecycle_state);
    return lifecycle.membership != Membership::warm && lifecycle.state == MachineState::running;
}

/// Whether the same question may be answered later.
bool is_passing(ErrorCode code) {
    switch (code) {
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::deadline:
        case ErrorCode::busy:
        case ErrorCode::unauthenticated: return true;
        default: return false;
    }
}

}  // namespace

void InstanceAddresses::follow(const std::vector<const AutoScalingGroup*>& groups) {
    if (is_off_) return;
    ++round_;
    std::vector<std::string> unknown;
    for (const AutoScalingGroup* const group : groups) {
        for (const AsgInstance& listed : group->instances) {
            Instance& instance = instances_[listed.id];
            instance.seen_in = round_;
            const bool is_open = instance.addresses.empty() && instance.questions < questions_max;
            if (is_open && unknown.size() < instances_a_call && is_running(listed))
                unknown.push_back(listed.id);
        }
    }
    std::erase_if(instances_, [&](const auto& entry) { return entry.second.seen_in != round_; });
    const bool may_ask = background_.running() == 0 && host_.monotonic() >= not_before_;
    if (unknown.empty() || !may_ask) return;
    for (const std::string& id : unknown) ++instances_[id].questions;
    background_.spawn("addresses of instances", read(std::move(unknown)));
}

Task<void> InstanceAddresses::read(std::vector<std::string> ids) {
    const Result<std::vector<InstanceAddress>> answer =
        co_await as_result(api_.describe_addresses(ids));
    if (!answer) {
        for (const std::string& id : ids)
            if (const auto at = instances_.find(id); at != instances_.end()) --at->second.questions;
        stop_or_wait(answer.error());
        co_return;
    }
    for (const InstanceAddress& found : *answer) {
        const auto at = instances_.find(found.id);
        if (at == instances_.end() || found.addresses.empty()) continue;
        at->second.addresses = found.addresses;
        ++version_;
    }
}

void InstanceAddresses::stop_or_wait(const Error& error) {
    if (error.code == ErrorCode::cancelled) return;
    not_before_ = host_.monotonic() + pause_after_failure;
    if (is_passing(error.code)) {
        host_.debug("instance addresses are not known yet: " + error.message);
        return;
    }
    is_off_ = true;
    host_.info("nodes without spec.providerID cannot be matched by address: " + error.message);
}

const std::vector<std::string>& InstanceAddresses::find(std::string_view instance_id) const {
    static const std::vector<std::string> unknown;
    const auto at = instances_.find(instance_id);
    return at != instances_.end() ? at->second.addresses : unknown;
}

}  // namespace capstan::aws
