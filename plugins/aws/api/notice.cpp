#include "notice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

namespace capstan::aws {
namespace {

using Notices = std::vector<Notice>;
/// How long before the interruption EC2 sends its warning.
constexpr std::chrono::minutes spot_warning{2};
constexpr std::array<std::string_view, 4> leaving_states{"stopping", "stopped", "shutting-down",
                                                         "terminated"};
constexpr std::string_view terminating = "autoscaling:EC2_INSTANCE_TERMINATING";

std::optional<Time> find_event_time(const Json& event) {
    const Result<Time> time = parse_rfc3339(event.text_at({"time"}));
    return time ? std::optional(*time) : std::nullopt;
}

bool is_instance_id(std::string_view text) noexcept {
    constexpr std::size_t longest = 64;
    return text.starts_with("i-") && text.size() > 2 && text.size() <= longest &&
           std::all_of(text.begin() + 2, text.end(),
                       [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

Result<Notices> one_notice(const std::string& id, LeaveReason reason, std::optional<Time> at) {
    if (!is_instance_id(id))
        return fail(ErrorCode::invalid_argument, in_quotes(id) + " is not an instance id");
    return Notices{{.instance_id = id, .reason = reason, .at = at}};
}

Result<Notices> read_spot_warning(const Json& event) {
    std::optional<Time> at = find_event_time(event);
    // Checked before the addition, which could overflow.
    if (at && *at > Time::max() - spot_warning) at.reset();
    if (at) *at += spot_warning;
    return one_notice(event.text_at({"detail", "instance-id"}), LeaveReason::spot_interruption, at);
}

Result<Notices> read_rebalance(const Json& event) {
    return one_notice(event.text_at({"detail", "instance-id"}), LeaveReason::rebalance,
                      std::nullopt);
}

Result<Notices> read_state_change(const Json& event) {
    const std::string& state = event.text_at({"detail", "state"});
    const bool is_over = state == "running";
    if (!is_over &&
        std::find(leaving_states.begin(), leaving_states.end(), state) == leaving_states.end())
        return Notices();
    Result<Notices> out = one_notice(event.text_at({"detail", "instance-id"}), LeaveReason::other,
                                     find_event_time(event));
    if (out) out->front().is_over = is_over;
    return out;
}

Result<Notices> read_lifecycle_action(const Json& event) {
    return one_notice(event.text_at({"detail", "EC2InstanceId"}), LeaveReason::other,
                      find_event_time(event));
}

Result<Notices> read_health_event(const Json& event) {
    const Json* const detail = event.find("detail");
    if (detail == nullptr || detail->text_at({"service"}) != "EC2" ||
        detail->text_at({"eventTypeCategory"}) != "scheduledChange")
        return Notices();
    const Result<Time> start = parse_http_date(detail->text_at({"startTime"}));
    Notices out;
    if (const Json* const entities = detail->find("affectedEntities")) {
        for (const Json& entity : entities->items()) {
            // Other entities are volumes and dedicated hosts.
            const std::string& id = entity.text_at({"entityValue"});
            if (!is_instance_id(id)) continue;
            out.push_back({.instance_id = id,
                           .reason = LeaveReason::maintenance,
                           .at = start ? std::optional(*start) : std::nullopt,
                           .is_over = detail->text_at({"statusCode"}) == "closed"});
        }
    }
    return out;
}

struct EventKind {
    std::string_view detail_type;
    Result<Notices> (*read)(const Json& event);
};
constexpr std::array event_kinds{
    EventKind{"EC2 Spot Instance Interruption Warning", &read_spot_warning},
    EventKind{"EC2 Instance Rebalance Recommendation", &read_rebalance},
    EventKind{"AWS Health Event", &read_health_event},
    EventKind{"EC2 Instance State-change Notification", &read_state_change},
    EventKind{"EC2 Instance-terminate Lifecycle Action", &read_lifecycle_action},
};

/// A message that a lifecycle hook of Auto Scaling writes into the queue directly.
Result<Notices> read_direct_hook(const Json& message) {
    if (message.text_at({"LifecycleTransition"}) != terminating) return Notices();
    const Result<Time> time = parse_rfc3339(message.text_at({"Time"}));
    return one_notice(message.text_at({"EC2InstanceId"}), LeaveReason::other,
                      time ? std::optional(*time) : std::nullopt);
}

int certainty_of(LeaveReason reason) noexcept {
    switch (reason) {
        case LeaveReason::spot_interruption: return 4;
        case LeaveReason::other: return 3;
        case LeaveReason::maintenance: return 2;
        case LeaveReason::unhealthy:
        case LeaveReason::expiry:
        case LeaveReason::rebalance: break;
    }
    return 1;
}

}  // namespace

Result<std::vector<Notice>> read_notices(std::string_view body) {
    CAPSTAN_TRY(const Json event, parse_json(body));
    const std::string& detail_type = event.text_at({"detail-type"});
    for (const EventKind& kind : event_kinds) {
        if (kind.detail_type != detail_type) continue;
        Result<Notices> out = kind.read(event);
        if (!out) return fail(within(kind.detail_type, std::move(out).error()));
        return out;
    }
    if (!detail_type.empty()) return Notices();
    if (event.find("LifecycleTransition") != nullptr || event.find("Event") != nullptr)
        return read_direct_hook(event);
    return fail(ErrorCode::invalid_argument, "the message has no detail-type");
}

bool supersedes(const Notice& later, const Notice& earlier) noexcept {
    return certainty_of(later.reason) >= certainty_of(earlier.reason);
}

}  // namespace capstan::aws
