#include "autoscaler/daemon/daemon_sources.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/daemon/pass_json.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::daemon {
namespace {

void write_kind(record::JsonText& out, const kubernetes::client::ReflectorStatus& kind) {
    out.begin_object();
    out.text_member("kind", kind.kind);
    out.key("synced");
    out.boolean(kind.has_synced);
    out.key("objects");
    out.natural(kind.objects);
    out.key("unreadable");
    out.natural(kind.unreadable);
    out.key("relists");
    out.natural(kind.relists);
    if (kind.last_heard)
        out.text_member("last_heard",
                        kubernetes::find_timestamp_text(*kind.last_heard).value_or(""));
    if (kind.is_unavailable) out.text_member("error", "not served by the API server");
    if (kind.trouble) out.text_member("error", kind.trouble->message);
    out.end_object();
}

void write_config_status(record::JsonText& out, const ConfigStatus& config) {
    out.begin_object();
    out.key("in_force");
    out.boolean(config.is_in_force());
    out.text_member("applied", kubernetes::find_timestamp_text(config.taken_over).value_or(""));
    out.text_member("sha256", config.hash);
    if (config.since) {
        out.text_member("since", kubernetes::find_timestamp_text(*config.since).value_or(""));
        out.text_member("because", config.because());
    }
    out.key("pending_restart");
    out.begin_array();
    for (const std::string& key : config.waiting) out.text(key);
    out.end_array();
    out.end_object();
}

std::string status_json(ObservableState& observable, LoopServices& services,
                        const DaemonFacts& facts) {
    record::JsonText out;
    out.begin_object();
    out.text_member("version", facts.version);
    out.text_member("identity", facts.identity);
    out.text_member("cluster", facts.cluster);
    out.text_member("server", services.link().server());
    out.text_member("leader", services.leadership().leader());
    out.key("leads");
    out.boolean(services.leadership().term().has_value());
    out.key("dry_run");
    out.boolean(facts.dry_run);
    out.key("config");
    write_config_status(out, observable.config.status());
    out.key("kinds");
    out.begin_array();
    for (const kubernetes::client::ReflectorStatus& kind : services.link().cluster_cache().status())
        write_kind(out, kind);
    out.end_array();
    out.end_object();
    std::string head = out.take();
    const auto pass = observable.history.last();
    if (!pass) return head;
    head.pop_back();
    return head + ",\"last_pass\":" + pass_json(*pass) + "}";
}

/// What an operator has to provide before clouds can be asked again; empty: nothing. `pass`: the
/// last one; NULL: there is none.
std::string find_credentials_problem(const PassReport* pass) {
    std::string out;
    if (pass == nullptr) return out;
    auto refused = pass->memory.request_backoffs;
    refused.insert(pass->memory.cloud_backoffs.begin(), pass->memory.cloud_backoffs.end());
    for (const auto& [cloud, backoff] : refused) {
        const bool is_credentials =
            backoff.code == ErrorCode::unauthenticated || backoff.code == ErrorCode::permission;
        const auto state = std::ranges::find(pass->clouds, cloud, &CloudState::cloud);
        const bool is_over = state == pass->clouds.end() ||
                             (state->status == CloudStatus::answered && backoff.until < pass->at);
        if (!is_credentials || is_over) continue;
        out += (out.empty() ? "" : "; ") + std::string("cloud ") + cloud.value() +
               " rejects its credentials: " + backoff.because.text();
    }
    return out;
}

void write_controller(record::JsonText& out,
                      const plugin_runtime::instances::ControllerStatus& status) {
    out.key("controller");
    out.begin_object();
    out.key("leads");
    out.boolean(status.is_leading);
    out.key("reconciles");
    out.natural(status.reconciles);
    out.key("failures");
    out.natural(status.failures);
    if (status.last) {
        out.text_member("summary", status.last->summary);
        out.key("objects");
        out.natural(static_cast<std::uint64_t>(status.last->objects));
        out.key("problems");
        out.begin_array();
        for (const Error& problem : status.last->problems) {
            out.begin_object();
            out.text_member("subject", problem.subject);
            out.text_member("problem", problem.message);
            out.end_object();
        }
        out.end_array();
    }
    if (status.error) out.text_member("error", status.error->message);
    out.end_object();
}

/// Writes nothing if all hooks are called.
void write_left_out(record::JsonText& out,
                    const plugin_runtime::instances::PluginInstance& instance) {
    const auto hooks = instance.skipped_hooks();
    if (hooks.empty()) return;
    out.key("skipped_hooks");
    out.begin_array();
    for (const auto& [hook, because] : hooks) {
        out.begin_object();
        out.text_member("hook", plugin_runtime::loop::name_of(hook));
        out.text_member("because", because);
        out.text_member("instead", plugin_runtime::instances::fallback_of(hook));
        out.end_object();
    }
    out.end_array();
}

void write_absent(record::JsonText& out, const PluginStart& start, Duration now) {
    out.begin_object();
    out.text_member("id", start.identity.id.value());
    out.text_member("kind", start.kind);
    out.text_member("class", start.identity.class_id);
    out.text_member("from", start.identity.origin);
    out.key("running");
    out.boolean(false);
    out.text_member("start", sentence_of(start, now));
    out.key("failed_starts");
    out.natural(static_cast<std::uint64_t>(start.failures));
    out.end_object();
}

std::string plugins_json(PluginHost& host, const DaemonFacts& facts) {
    record::JsonText out;
    out.begin_array();
    if (facts.starts)
        for (const PluginStart& start : facts.starts())
            if (start.phase != PluginStart::Phase::running)
                write_absent(out, start, host.loop().monotonic());
    // They come in the order in which they have started, which is chance.
    auto instances = host.instances();
    std::ranges::sort(instances, {}, [](const auto& each) { return each->id(); });
    for (const auto& instance : instances) {
        out.begin_object();
        out.text_member("id", instance->id());
        out.text_member("kind", instance->kind());
        out.text_member("class", instance->context().identity().class_id);
        out.text_member("from", instance->context().identity().origin);
        out.key("running");
        out.boolean(instance->is_running());
        write_left_out(out, *instance);
        if (const auto controller = facts.controller(instance->id()))
            write_controller(out, *controller);
        out.end_object();
    }
    out.end_array();
    return out.take();
}

std::string config_json(const std::string& toml) {
    record::JsonText out;
    out.begin_object();
    out.text_member("toml", toml);
    out.end_object();
    return out.take();
}

/// The passes' thread answers, for that takes as long as a pass does.
void explain_later(ObservableState& observable, LoopServices& services, const DaemonFacts& facts,
                   const AdminQuestion& question, const AdminSources::Answer& answer) {
    auto pass = observable.history.last();
    if (!pass) return answer(fail(ErrorCode::unavailable, "no pass has run yet"));
    const bool is_taken =
        services.add_task([explain = facts.explain, pass = std::move(pass), question, answer] {
            answer(explain(*pass, question));
        });
    if (!is_taken)
        answer(fail(ErrorCode::busy, "too many explain requests are waiting; try again later"));
}

/// How long a request waits for the next pass.
constexpr Duration snapshot_patience = std::chrono::minutes(1);

void take_snapshot(PluginHost& host, ObservableState& observable, LoopServices& services,
                   const DebugSnapshot::Answer& answer) {
    if (!services.wants_passes())
        return answer(fail(ErrorCode::unavailable,
                           "no passes run now: not the leader, not ready, or controllers only"));
    const auto asked = observable.snapshot->ask(answer);
    if (!asked) return answer(fail(asked.error()));
    host.loop().after(snapshot_patience, [snapshot = observable.snapshot, request = *asked] {
        snapshot->give_up(request);
    });
}

std::string unready_because(PluginHost& host, const ObservableState& observable,
                            const LoopServices& services) {
    std::string waits = services.unready_because();
    if (!waits.empty()) return waits;
    if (host.has_strand_threads()) {
        const std::vector<plugin_runtime::loop::HeldCall> stuck = host.calls().stuck();
        if (!stuck.empty()) return stuck.front().sentence();
    }
    const std::shared_ptr<const PassReport> last = observable.history.last();
    if (services.wants_passes()) waits = describe_unwritten_memory(last.get());
    return waits.empty() ? find_credentials_problem(last.get()) : waits;
}

}  // namespace

std::string describe_unwritten_memory(const PassReport* pass) {
    if (pass == nullptr || pass->unwritten_because.empty()) return {};
    return "memory cannot be written, so nothing is ordered: " + pass->unwritten_because;
}

std::string describe_shortcomings(std::string absent, const PassReport* pass) {
    if (pass == nullptr) return absent;
    for (const std::string& warning : pass->decision().warnings)
        absent += (absent.empty() ? "" : "\n") + warning;
    return absent;
}

AdminSources make_sources(PluginHost& host, ObservableState& observable, LoopServices& services,
                          const DaemonFacts& facts) {
    const auto groups = [&observable] {
        const auto pass = observable.history.last();
        return pass ? groups_json(*pass) : std::string("[]");
    };
    AdminSources out{
        .metrics =
            [&host, &observable] {
                observable.metrics.look_at_process();
                return host.metrics().text();
            },
        .complaint = [&host,
                      &observable] { return observable.health.complaint(host.loop().monotonic()); },
        .stuck = [&host, &observable] { return observable.health.stuck(host.loop().monotonic()); },
        .unready = [&host, &observable,
                    &services] { return unready_because(host, observable, services); },
        .absent =
            [&observable, absent = facts.absent] {
                const auto pass = observable.history.last();
                return describe_shortcomings(absent ? absent() : std::string(), pass.get());
            },
        .status = [&observable, &services,
                   facts] { return status_json(observable, services, facts); },
        .groups = groups,
        .plugins = [&host, facts] { return plugins_json(host, facts); },
        .config = [facts] { return config_json(facts.config()); },
        .decisions = [&observable] { return observable.history.decisions(); },
        .explain =
            [&observable, &services, facts](const AdminQuestion& question,
                                            const AdminSources::Answer& answer) {
                explain_later(observable, services, facts, question, answer);
            }};
    if (facts.debugging_snapshot)
        out.snapshot = [&host, &observable, &services](const DebugSnapshot::Answer& answer) {
            take_snapshot(host, observable, services, answer);
        };
    return out;
}

}  // namespace capstan::autoscaler::daemon
