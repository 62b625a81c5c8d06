#include "pods.hpp"

#include <algorithm>
#include <span>

#include <capstan/time_text.hpp>

namespace capstan::replicas {
namespace {

/// A kubelet reports within this time after a pod's start that the pod is not ready yet. A later
/// transition to "not ready" thus means that the pod was ready before. The HorizontalPodAutoscaler
/// has the same rule.
constexpr Duration readiness_grace = std::chrono::seconds(30);

/// The pod's condition Ready; NULL: there is none.
const Json* find_ready(const Json& pod) {
    const Json* conditions = pod.find({"status", "conditions"});
    if (conditions == nullptr) return nullptr;
    for (const Json& each : conditions->items()) {
        if (each.text_at({"type"}) == "Ready") return &each;
    }
    return nullptr;
}

std::span<const Json> containers_of(const Json& pod) {
    const Json* all = pod.find({"status", "containerStatuses"});
    if (all == nullptr || !all->is_array()) return {};
    return all->items();
}

/// Absent: the container did not restart, or it restarted, its last run is unknown and the pod is
/// ready.
std::optional<Restart> find_restart(const Json& container, bool is_ready) {
    const Json* count = container.find("restartCount");
    if (count == nullptr || count->integer().value_or(0) <= 0) return std::nullopt;
    const auto time_at = [&](std::initializer_list<std::string_view> path) {
        return find_rfc3339(container.text_at(path));
    };
    const auto began = time_at({"lastState", "terminated", "startedAt"});
    const auto ended = time_at({"lastState", "terminated", "finishedAt"});
    const auto up_since = time_at({"state", "running", "startedAt"});
    if (began && ended) return Restart{.ran = *ended - *began, .up_since = up_since};
    if (is_ready) return std::nullopt;
    return Restart{.up_since = up_since};
}

/// When the pod, or its container that started last, began to run.
std::optional<Time> find_begin(const Json& pod) {
    std::optional<Time> out = find_rfc3339(pod.text_at({"status", "startTime"}));
    for (const Json& container : containers_of(pod)) {
        const auto began = find_rfc3339(container.text_at({"state", "running", "startedAt"}));
        if (began) out = std::max(out.value_or(*began), *began);
    }
    return out;
}

bool is_true(const Json* ready) { return ready != nullptr && ready->text_at({"status"}) == "True"; }

/// Whether the pod, which is not ready, was ready earlier.
bool was_once_ready(const Json& pod, const Json* ready) {
    if (ready == nullptr) return false;
    const auto since = find_rfc3339(ready->text_at({"lastTransitionTime"}));
    const auto began = find_begin(pod);
    return since && began && *since - *began > readiness_grace;
}

}  // namespace

std::optional<PodFacts> read_pod(const Json& pod) {
    const std::string& phase = pod.text_at({"status", "phase"});
    const bool is_running = phase == "Running";
    // A pod without a phase has just been created.
    if (!is_running && phase != "Pending" && !phase.empty()) return std::nullopt;
    if (pod.find({"metadata", "deletionTimestamp"}) != nullptr) return std::nullopt;
    const Json* const ready = find_ready(pod);
    PodFacts out{.is_running = is_running,
                 .is_ready = is_running && is_true(ready),
                 .created = find_rfc3339(pod.text_at({"metadata", "creationTimestamp"}))};
    out.was_ready = out.is_ready || (is_running && was_once_ready(pod, ready));
    for (const Json& container : containers_of(pod)) {
        if (const auto restart = find_restart(container, out.is_ready))
            out.restarts.push_back(*restart);
    }
    if (const Json* labels = pod.find({"metadata", "labels"})) {
        for (const auto& [key, value] : labels->members()) out.labels[key] = value.text();
    }
    return out;
}

bool Pods::put(const Json& pod) {
    std::optional<PodFacts> facts = read_pod(pod);
    if (!facts) return remove(pod);
    const auto [at, is_new] = namespaces_[pod.text_at({"metadata", "namespace"})].try_emplace(
        pod.text_at({"metadata", "name"}));
    if (!is_new && at->second.created == facts->created && facts->is_running)
        facts->was_ready = facts->was_ready || at->second.was_ready;
    if (!is_new && at->second == *facts) return false;
    at->second = *std::move(facts);
    return true;
}

bool Pods::remove(const Json& pod) {
    const auto ns = namespaces_.find(pod.text_at({"metadata", "namespace"}));
    if (ns == namespaces_.end()) return false;
    const bool was_there = ns->second.erase(pod.text_at({"metadata", "name"})) > 0;
    if (ns->second.empty()) namespaces_.erase(ns);
    return was_there;
}

bool has_started(const PodFacts& pod, Time now, Duration timeout) {
    const bool restarts = std::ranges::any_of(pod.restarts, [&](const Restart& each) {
        return each.ran < timeout && (!each.up_since || now - *each.up_since < timeout);
    });
    return pod.is_running && pod.was_ready && !restarts;
}

PodCounts Pods::count(const std::string& ns, const LabelSelector& of, const LabelSelector* own,
                      Time now, std::optional<Duration> timeout) const {
    PodCounts out;
    const auto pods = namespaces_.find(ns);
    if (pods == namespaces_.end()) return out;
    std::int64_t starting = 0;
    // Compared before it is added: the longest timeouts would overflow Time.
    const auto due_in = [&](Duration left) {
        if (left < std::chrono::hours(24 * 365))
            out.next_due = std::min(out.next_due.value_or(Time::max()), now + left + Duration(1));
    };
    for (const auto& [name, pod] : pods->second) {
        if (!matches(of, pod.labels)) continue;
        ++out.total;
        out.running += pod.is_running ? 1 : 0;
        out.ready += pod.is_ready ? 1 : 0;
        if (own != nullptr && !matches(*own, pod.labels) && out.foreign++ == 0)
            out.foreign_name = name;
        if (!timeout || !pod.created || has_started(pod, now, *timeout)) continue;
        ++starting;
        const Duration age = now - *pod.created;
        out.late += age > *timeout ? 1 : 0;
        if (age <= *timeout) due_in(*timeout - age);
        for (const Restart& each : pod.restarts) {
            if (each.up_since && now - *each.up_since < *timeout)
                due_in(*timeout - (now - *each.up_since));
        }
    }
    if (out.late > 0) out.blocked = starting;
    return out;
}

}  // namespace capstan::replicas
