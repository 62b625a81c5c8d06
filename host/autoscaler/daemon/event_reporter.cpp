#include "autoscaler/daemon/event_reporter.hpp"

#include <algorithm>
#include <tuple>

#include <capstan/sentence.hpp>

#include "autoscaler/actions_under_way.hpp"
#include "autoscaler/daemon/decision_history.hpp"
#include "engine/each_action.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::autoscaler::daemon {

void EventReporter::report(const PassReport& pass, const kubernetes::client::ObjectReference& about,
                           const std::string& unhealthy_because,
                           const kubernetes::client::ClusterCache& cluster_cache,
                           kubernetes::client::EventRecorder& recorder) {
    for (const kubernetes::client::EventNote& note : events_of(pass, about, unhealthy_because))
        if (!note.about.name.empty()) recorder.record(note);
    for (const kubernetes::client::ObjectReference& pod : pods_.update(pass))
        if (const auto since = cluster_cache.unschedulable_since(pod.ns, pod.name))
            metrics_.ordered_for_pod(pass.wall_at() - *since);
    for (const kubernetes::client::EventNote& note : pods_.take(recorder.room()))
        recorder.record(note);
    metrics_.set_events(recorder.counts(), pods_.unreported());
    count_unreported();
}

void EventReporter::count_unreported() {
    const Duration now = loop_.monotonic();
    if (pods_.unreported() == unreported_ || (unreported_at_ && now - *unreported_at_ < quiet))
        return;
    const auto count = static_cast<std::int64_t>(pods_.unreported() - unreported_);
    log_.write(config::LogLevel::warn, "events",
               counted(count, "pod") +
                   " triggered a scale-up but got no TriggeredScaleUp Event: too many Events in "
                   "one minute");
    unreported_ = pods_.unreported();
    unreported_at_ = now;
}

namespace {

using kubernetes::client::EventNote;
using kubernetes::client::ObjectReference;

std::string pod_event_key(const ObjectReference& pod) {
    return pod.ns + "/" + pod.name + "/" + pod.uid;
}

EventNote pod_note(const ObjectReference& pod, const char* reason, const std::string& message) {
    return {.about = pod, .reason = reason, .message = message};
}

/// By option: "{web 3->4 (max: 10)}" of each group that a cloud agreed to grow, or was asked to and
/// has not answered yet.
std::map<std::size_t, std::string> grown_by_option(const PassReport& pass) {
    std::map<std::size_t, std::string> out;
    for_each_action_of<engine::Increase>(
        pass.decision(), pass.results,
        [&](const engine::Increase& increase, const engine::ActionResult& result) {
            const Error* const error = result.error();
            if (!result.is_known || (error != nullptr && !is_under_way(*error))) return;
            std::string& done = out[increase.option];
            done += (done.empty() ? "{" : " {") + increase.group.value() + " " +
                    std::to_string(increase.from) + "->" +
                    std::to_string(increase.from + increase.by) +
                    " (max: " + max_text(pass, increase.group) + ")}";
        });
    return out;
}

/// "2 Insufficient cpu".
std::string counted_reason(const engine::GroupReason& reason) {
    return std::to_string(reason.groups.size()) + " " + reason.reason.sentence;
}

/// "pod didn't trigger scale-up: 1 max node group size reached (3): group web, 2 node(s) had
/// untolerated taint ...; no group could be created: ...": the groups of the first reason, which is
/// the nearest, are named. Reasons with commas are separated by semicolons.
std::string refusal_message(const engine::UnschedulablePods& unschedulable,
                            const engine::Reason& no_new_group_reason) {
    const auto& all = unschedulable.groups;
    if (all.empty()) return "pod didn't trigger scale-up: " + unschedulable.reason.sentence;
    std::vector<std::string> parts{all.size() == 1 ? counted_reason(all.front())
                                                   : describe(all.front())};
    for (std::size_t i = 1; i < all.size(); ++i) parts.push_back(counted_reason(all[i]));
    const bool has_comma = std::ranges::any_of(
        parts, [](const std::string& part) { return part.find(',') != std::string::npos; });
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : has_comma ? "; " : ", ") + part;
    const std::string& other = no_new_group_reason.sentence;
    if (other.empty()) return "pod didn't trigger scale-up: " + out;
    // The summary begins with it if it is the nearest reason.
    const bool is_first = unschedulable.reason.sentence.starts_with(other);
    return "pod didn't trigger scale-up: " + (is_first ? other + "; " + out : out + "; " + other);
}

}  // namespace

std::vector<ObjectReference> PodEvents::update(const PassReport& pass) {
    std::vector<ObjectReference> triggered;
    if (pass.input.call_context.dry_run || !pass.dropped_because.empty()) return triggered;
    now_ = pass.at;
    refused_.clear();
    Pending pending = collect_pending(pass);
    forget_others();
    const auto& options = pass.decision().options;
    for (const auto& [option, done] : grown_by_option(pass))
        if (option < options.size())
            add_schedulable(
                options[option],
                std::make_shared<const std::string>("pod triggered scale-up: [" + done + "]"),
                pending, triggered);
    for (const engine::UnschedulablePods& unschedulable : pass.decision().unschedulable)
        add_unschedulable(unschedulable, pass.decision().no_new_group_reason, pending);
    return triggered;
}

PodEvents::Pending PodEvents::collect_pending(const PassReport& pass) {
    const engine::snapshot::Cluster& cluster = pass.input.snapshot.cluster;
    ++seen_;
    Pending out;
    for (const engine::PodIndex index : cluster.unbound()) {
        const engine::snapshot::PodRow row = cluster.pod(index);
        const engine::PodGroupId of = engine::snapshot::equivalence_group_at(
            cluster, row, pass.input.call_context.time().wall);
        ObjectReference reference{.kind = "Pod",
                                  .ns = std::string(cluster.text(cluster.equivalence_group(of).ns)),
                                  .name = std::string(cluster.text(row.name)),
                                  .uid = std::string(cluster.text(row.uid))};
        Pod& pod = pods_[pod_event_key(reference)];
        pod.reference = std::move(reference);
        pod.seen = seen_;
        out[of].push_back(&pod);
    }
    return out;
}

void PodEvents::forget_others() {
    for (auto at = pods_.begin(); at != pods_.end();) {
        if (at->second.seen == seen_) {
            ++at;
            continue;
        }
        if (at->second.message && !at->second.told) ++unreported_;
        at = pods_.erase(at);
    }
    const auto is_gone = [this](const std::string& key) { return !pods_.contains(key); };
    std::erase_if(first_, is_gone);
    std::erase_if(again_, is_gone);
}

void PodEvents::add_schedulable(const engine::ChosenOption& option, const Message& message,
                                Pending& pending, std::vector<ObjectReference>& triggered) {
    for (const engine::PodCount& schedulable : option.pods) {
        std::vector<Pod*>& pods = pending[schedulable.equivalence_group];
        std::ranges::sort(pods, {}, [](const Pod* pod) {
            return std::tie(pod->triggered, pod->reference.ns, pod->reference.name);
        });
        const std::size_t count = std::min<std::size_t>(pods.size(), schedulable.count);
        for (std::size_t i = 0; i < count; ++i) {
            Pod& pod = *pods[i];
            if (!pod.triggered) triggered.push_back(pod.reference);
            pod.triggered = now_;
            if (pod.told && now_ - *pod.told < apart) continue;
            if (!pod.message) (pod.told ? again_ : first_).push_back(pod_event_key(pod.reference));
            pod.message = message;
        }
        pods.erase(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(count));
    }
}

void PodEvents::add_unschedulable(const engine::UnschedulablePods& unschedulable,
                                  const engine::Reason& no_new_group_reason, Pending& pending) {
    std::vector<Pod*>& pods = pending[unschedulable.pods.equivalence_group];
    std::ranges::sort(pods, {}, [](const Pod* pod) {
        return std::tie(pod->refused, pod->reference.ns, pod->reference.name);
    });
    const auto message =
        std::make_shared<const std::string>(refusal_message(unschedulable, no_new_group_reason));
    const std::size_t count = std::min<std::size_t>(pods.size(), unschedulable.pods.count);
    for (std::size_t i = 0; i < count; ++i) {
        Pod* const pod = pods[i];
        if (!pod->refused || now_ - *pod->refused >= apart) refused_.emplace_back(pod, message);
    }
}

std::vector<EventNote> PodEvents::take(std::size_t room) {
    std::vector<EventNote> out;
    take_triggered(first_, room, out);
    take_triggered(again_, room, out);
    for (const auto& [pod, message] : refused_) {
        if (out.size() >= room) break;
        pod->refused = now_;
        out.push_back(pod_note(pod->reference, "NotTriggerScaleUp", *message));
    }
    refused_.clear();
    return out;
}

void PodEvents::take_triggered(std::deque<std::string>& queue, std::size_t room,
                               std::vector<EventNote>& out) {
    while (!queue.empty() && out.size() < room) {
        Pod& pod = pods_.at(queue.front());
        out.push_back(pod_note(pod.reference, "TriggeredScaleUp", *pod.message));
        pod.told = now_;
        pod.message.reset();
        queue.pop_front();
    }
}

}  // namespace capstan::autoscaler::daemon
