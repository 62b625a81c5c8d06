#include "autoscaler/daemon/pass_json.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "autoscaler/record/json_reader.hpp"
#include "engine/each_action.hpp"
#include "engine/health/backoff.hpp"
#include "engine/remedies.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::daemon {

namespace {

/// The most unschedulable pod equivalence groups in the JSON of one decision.
constexpr std::size_t unschedulable_max = 50;

std::string moment(Time time) { return kubernetes::find_timestamp_text(time).value_or(""); }

std::int64_t milliseconds_of(Duration length) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
}

void whole(record::JsonText& out, std::string_view key, std::int64_t value) {
    out.key(key);
    out.whole(value);
}

/// One action: what, why, and what came of it; a dry run has nothing that came.
void write_action(record::JsonText& out, const std::string& what, const engine::ActionFacts& facts,
                  const std::string& because, const engine::ActionResult& result) {
    out.begin_object();
    out.text_member("what", what);
    out.text_member("because", because);
    std::string errors;
    for (const Error& error : result.errors) errors += (errors.empty() ? "" : "; ") + error.message;
    if (!errors.empty()) out.text_member("error", errors);
    if (result.shortfall != nullptr) out.text_member("shortfall", result.shortfall->message);
    out.text_member("action", facts.action);
    if (!facts.group.empty()) out.text_member("group", facts.group);
    if (!facts.node.empty()) out.text_member("node", facts.node);
    if (!facts.pod.empty()) out.text_member("pod", facts.pod);
    if (facts.delta != 0) whole(out, "delta", facts.delta);
    if (const Error* const error = result.error()) out.text_member("code", name_of(error->code));
    out.end_object();
}

void write_actions(record::JsonText& out, const PassReport& pass) {
    out.key("actions");
    out.begin_array();
    for_each_action(pass.decision(), pass.results,
                    [&out](const auto& action, const engine::ActionResult& result) {
                        write_action(out, command_of(action), facts_of(action), action.because,
                                     result);
                    });
    out.end_array();
}

void write_unschedulable(record::JsonText& out, const engine::Decision& decision) {
    out.key("unschedulable");
    out.begin_array();
    for (std::size_t i = 0; i < decision.unschedulable.size() && i < unschedulable_max; ++i) {
        const engine::UnschedulablePods& unschedulable = decision.unschedulable[i];
        out.begin_object();
        out.text_member("pods", unschedulable.pods.example);
        whole(out, "count", unschedulable.pods.count);
        out.text_member("because", unschedulable.reason.sentence);
        out.text_member("code", name_of(unschedulable.reason.code));
        if (const std::string subject = to_string(unschedulable.reason.subject); !subject.empty())
            out.text_member("subject", subject);
        if (const std::string remedy = engine::remedy_for(unschedulable); !remedy.empty())
            out.text_member("remedy", remedy);
        out.end_object();
    }
    out.end_array();
}

/// Pods that do not count as pending.
void write_skipped(record::JsonText& out, const engine::Decision& decision) {
    out.key("skipped");
    out.begin_array();
    for (const engine::SkippedPods& pods : decision.skipped) {
        if (pods.code == engine::ReasonCode::none) continue;
        out.begin_object();
        whole(out, "count", pods.count);
        out.text_member("because", pods.because);
        out.text_member("code", name_of(pods.code));
        if (const std::string remedy = engine::remedy_for({.code = pods.code}, {}); !remedy.empty())
            out.text_member("remedy", remedy);
        out.end_object();
    }
    out.end_array();
}

void write_group(record::JsonText& out, const engine::Group& group,
                 const engine::health::GroupHealth& health, const PassReport& pass) {
    out.begin_object();
    out.text_member("id", group.group.id.value());
    out.text_member("cloud", group.cloud.value());
    if (group.group.min) whole(out, "min", *group.group.min);
    if (group.group.max) whole(out, "max", *group.group.max);
    if (group.group.target) whole(out, "target", *group.group.target);
    whole(out, "machines", static_cast<std::int64_t>(group.machines.size()));
    whole(out, "ready", health.nodes.ready);
    whole(out, "unready", health.nodes.unready + health.nodes.long_starting);
    whole(out, "upcoming", health.upcoming.nodes());
    if (!health.upcoming.because.empty())
        out.text_member("upcoming_because", health.upcoming.because);
    if (!health.unhealthy_because.empty())
        out.text_member("unhealthy_because", health.unhealthy_because);
    if (const engine::Backoff* backoff = engine::health::find_backoff(pass.memory, group, pass.at))
        out.text_member("backoff_because",
                        engine::health::why_backed_off(*backoff, pass.input.call_context.time()));
    if (!group.unreadable_because.empty())
        out.text_member("unreadable_because", group.unreadable_because);
    if (group.price_per_hour) {
        out.key("price_per_hour");
        out.text(std::to_string(*group.price_per_hour));
    }
    out.end_object();
}

void write_clouds(record::JsonText& out, const PassReport& pass) {
    out.key("clouds");
    out.begin_array();
    for (const CloudState& cloud : pass.clouds) {
        out.begin_object();
        out.text_member("cloud", cloud.cloud.value());
        out.text_member("status", name_of(cloud.status));
        if (cloud.answered) out.text_member("last_answered", moment(*cloud.answered));
        if (!cloud.because.empty()) out.text_member("because", cloud.because);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

std::string groups_json(const PassReport& pass) {
    const engine::Snapshot& snapshot = pass.input.snapshot;
    const engine::health::Health health = health_after(pass);
    record::JsonText out;
    out.begin_array();
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g)
        write_group(out, (*snapshot.groups)[g], health.groups[g], pass);
    out.end_array();
    return out.take();
}

std::string pass_json(const PassReport& pass) {
    const engine::Decision& decision = pass.decision();
    record::JsonText out;
    out.begin_object();
    out.text_member("at", moment(pass.input.call_context.time().wall));
    whole(out, "milliseconds", milliseconds_of(pass.times.total));
    out.key("dry_run");
    out.boolean(pass.input.call_context.dry_run);
    if (!pass.dropped_because.empty()) out.text_member("dropped_because", pass.dropped_because);
    whole(out, "nodes", static_cast<std::int64_t>(pass.input.snapshot.cluster.node_count()));
    whole(out, "pods", static_cast<std::int64_t>(pass.input.snapshot.cluster.pod_count()));
    write_clouds(out, pass);
    write_actions(out, pass);
    write_unschedulable(out, decision);
    write_skipped(out, decision);
    out.key("notes");
    out.begin_array();
    for (const Error& problem : pass.problems) out.text(problem.message);
    for (const std::string& note : decision.notes) out.text(note);
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace capstan::autoscaler::daemon
