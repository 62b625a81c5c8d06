#include "runtime/daemon/daemon_sources.hpp"

#include <utility>

#include "kubernetes/timestamps.hpp"
#include "runtime/record/json_text.hpp"

namespace capstan::runtime {
namespace {

void text(JsonText& out, std::string_view key, std::string_view value) {
    out.key(key);
    out.text(value);
}

void write_kind(JsonText& out, const kubernetes::ReflectorStatus& kind) {
    out.begin_object();
    text(out, "kind", kind.kind);
    out.key("seen");
    out.boolean(kind.has_synced);
    out.key("objects");
    out.natural(kind.objects);
    out.key("unreadable");
    out.natural(kind.unreadable);
    out.key("relists");
    out.natural(kind.relists);
    if (kind.last_heard)
        text(out, "last_heard", kubernetes::find_timestamp_text(*kind.last_heard).value_or(""));
    if (kind.is_unavailable) text(out, "trouble", "this server does not have it");
    if (kind.trouble) text(out, "trouble", kind.trouble->message);
    out.end_object();
}

std::string status_json(Shown& shown, Beside& beside, const DaemonFacts& facts) {
    JsonText out;
    out.begin_object();
    text(out, "version", facts.version);
    text(out, "identity", facts.identity);
    text(out, "cluster", facts.cluster);
    text(out, "server", beside.link().server());
    text(out, "leader", beside.leadership().leader());
    out.key("leads");
    out.boolean(beside.leadership().term().has_value());
    out.key("dry_run");
    out.boolean(facts.dry_run);
    out.key("kinds");
    out.begin_array();
    for (const kubernetes::ReflectorStatus& kind : beside.link().mirror().status())
        write_kind(out, kind);
    out.end_array();
    out.end_object();
    std::string head = out.take();
    const auto pass = shown.board.last();
    if (!pass) return head;
    head.pop_back();
    return head + ",\"last_pass\":" + pass_json(*pass) + "}";
}

void write_controller(JsonText& out, const ControllerStatus& status) {
    out.key("controller");
    out.begin_object();
    out.key("leads");
    out.boolean(status.is_leading);
    out.key("reconciles");
    out.natural(status.reconciles);
    out.key("failures");
    out.natural(status.failures);
    if (status.last) {
        text(out, "summary", status.last->summary);
        out.key("objects");
        out.natural(static_cast<std::uint64_t>(status.last->objects));
        out.key("problems");
        out.begin_array();
        for (const Error& problem : status.last->problems) {
            out.begin_object();
            text(out, "subject", problem.subject);
            text(out, "problem", problem.message);
            out.end_object();
        }
        out.end_array();
    }
    if (status.error) text(out, "error", status.error->message);
    out.end_object();
}

std::string plugins_json(PluginHost& host, const DaemonFacts& facts) {
    JsonText out;
    out.begin_array();
    for (const auto& instance : host.instances()) {
        out.begin_object();
        text(out, "id", instance->id());
        text(out, "kind", instance->kind());
        text(out, "class", instance->context().identity().class_id);
        text(out, "from", instance->context().identity().origin);
        out.key("running");
        out.boolean(instance->is_running());
        if (const auto hook = instance->quarantined_by())
            text(out, "quarantined_by", name_of(*hook));
        if (const auto controller = facts.controller(instance->id()))
            write_controller(out, *controller);
        out.end_object();
    }
    out.end_array();
    return out.take();
}

std::string config_json(const std::string& toml) {
    JsonText out;
    out.begin_object();
    text(out, "toml", toml);
    out.end_object();
    return out.take();
}

/// The passes' thread answers, for that takes as long as a pass does.
void explain_later(Shown& shown, Beside& beside, const DaemonFacts& facts, AdminQuestion question,
                   AdminSources::Answer answer) {
    auto pass = shown.board.last();
    if (!pass) return answer(fail(ErrorCode::unavailable, "there has been no pass yet"));
    const bool is_taken =
        beside.add_errand([explain = facts.explain, pass = std::move(pass), question, answer] {
            answer(explain(*pass, question));
        });
    if (!is_taken) answer(fail(ErrorCode::busy, "too many questions wait for their answer"));
}

/// Of what waits for the next pass.
constexpr Duration snapshot_patience = std::chrono::minutes(1);

void take_snapshot(PluginHost& host, Shown& shown, Beside& beside,
                   const DebugSnapshot::Answer& answer) {
    if (!beside.wants_passes())
        return answer(fail(ErrorCode::unavailable, "this host makes no passes now"));
    const auto asked = shown.snapshot->ask(answer);
    if (!asked) return answer(fail(asked.error()));
    host.loop().after(snapshot_patience, [snapshot = shown.snapshot, request = *asked] {
        snapshot->give_up(request);
    });
}

}  // namespace

AdminSources make_sources(PluginHost& host, Shown& shown, Beside& beside, DaemonFacts facts) {
    const auto groups = [&shown] {
        const auto pass = shown.board.last();
        return pass ? groups_json(*pass) : std::string("[]");
    };
    AdminSources out{
        .metrics =
            [&host, &shown] {
                shown.metrics.look_at_process();
                return host.metrics().text();
            },
        .complaint = [&host, &shown] { return shown.health.complaint(host.loop().monotonic()); },
        .stuck = [&host, &shown] { return shown.health.stuck(host.loop().monotonic()); },
        .unready = [&beside] { return beside.unready_because(); },
        .status = [&shown, &beside, facts] { return status_json(shown, beside, facts); },
        .groups = groups,
        .plugins = [&host, facts] { return plugins_json(host, facts); },
        .config = [facts] { return config_json(facts.config()); },
        .decisions = [&shown] { return shown.board.decisions(); },
        .explain =
            [&shown, &beside, facts](AdminQuestion question, AdminSources::Answer answer) {
                explain_later(shown, beside, facts, std::move(question), std::move(answer));
            }};
    if (facts.debugging_snapshot)
        out.snapshot = [&host, &shown, &beside](const DebugSnapshot::Answer& answer) {
            take_snapshot(host, shown, beside, answer);
        };
    return out;
}

}  // namespace capstan::runtime
