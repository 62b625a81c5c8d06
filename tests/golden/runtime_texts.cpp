#include "runtime_texts.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <capstan/abi/cloud.h>
#include <capstan/plugin.hpp>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/config_watch.hpp"
#include "autoscaler/daemon/health_check.hpp"
#include "autoscaler/daemon/plugin_starts.hpp"
#include "plugin_runtime/guard/guard_log.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::golden {
namespace {

using namespace autoscaler;
using namespace std::chrono_literals;
using daemon::PluginStarts;
using plugin_runtime::instances::SkippedHook;
using plugin_runtime::loop::Hook;

void print_title(const char* title) { std::cerr << "\n### " << title << "\n\n"; }

/// The errors of the next starts of `Stumbling`; later starts succeed.
std::deque<ErrorCode> start_errors;
bool start_never_ends = false;

struct Stumbling {
    Stumbling(const Host& host, const capstan::Settings&) : host_(host) {}
    Task<void> start() {
        if (start_never_ends) co_await sleep_for(host_, std::chrono::hours(1000));
        if (start_errors.empty()) co_return;
        const ErrorCode code = start_errors.front();
        start_errors.pop_front();
        throw Failure(code, "the message of the plugin");
    }
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    Host host_;
};

/// Starts two plugins on virtual time, the first of the class `Stumbling`. Prints the log and what
/// /readyz says before the start and after `look_after`.
void print_starts(const char* title, std::deque<ErrorCode> errors, bool never_ends,
                  Duration look_after) {
    print_title(title);
    start_errors = std::move(errors);
    start_never_ends = never_ends;
    static const capstan_class type = make_class<Stumbling>({.id = "stumbling", .doc = ""});
    const Assembly assembly(
        "[log]\nlevel = \"info\"\n[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"score\", "
        "\"tiny\"]\n"
        "[plugin.score]\nfile = \"tiny.so\"\nclass = \"tiny\"\n"
        "[plugin.tiny]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    std::vector<LoadedPlugin> plugins = assembly.plugins();
    plugins.resize(2);
    plugins.front().plugin_class.raw = &type;
    const auto loaded = std::make_shared<daemon::LoadedConfig>(
        daemon::LoadedConfig{.config = assembly.config(), .plugins = std::move(plugins)});
    const auto host =
        PluginHost::open(
            loaded->config, loaded->plugins,
            {.seed = 1, .version = "test", .clock = std::make_shared<io::ManualClock>()})
            .value();
    const auto starts =
        std::make_shared<PluginStarts>(loaded, *host, PluginStarts::Options{.seed = 7});
    std::cerr << "/readyz: " << starts->unready_because({}) << '\n';
    starts->begin();
    host->virtual_loop()->advance(look_after);
    std::cerr << "/readyz: " << starts->unready_because({PluginInstanceId("score")}) << '\n';
    host->virtual_loop()->advance(2min);
    starts->stop([] {});
    host->virtual_loop()->advance(1min);
}

void print_stuck_calls() {
    print_title("a call of a plugin does not return");
    plugin_runtime::guard::HeldCallLog log;
    const auto print = [&log](const std::vector<plugin_runtime::loop::HeldCall>& stuck) {
        for (const auto& [level, line] : log.look(stuck))
            std::cerr << (level == config::LogLevel::error ? "error" : "warn ")
                      << " guard: " << line << '\n';
    };
    print({{"aws", CAPSTAN_KIND_CLOUD, Hook::refresh, 5s}});
    print({{"aws", CAPSTAN_KIND_CLOUD, Hook::refresh, 10s}});
    print({});
}

void print_skipped_hooks() {
    print_title("a hook is skipped");
    const std::string because = "it did not return within its deadline of 500 ms";
    for (const Hook hook : {Hook::filter, Hook::similar, Hook::bucket, Hook::split, Hook::price,
                            Hook::options, Hook::new_group, Hook::suggest, Hook::owns, Hook::start})
        std::cerr << plugin_runtime::instances::skipped_hook_text(
                         SkippedHook{PluginInstanceId("acme"), hook,
                                     hook == Hook::start ? "not started" : because})
                  << '\n';
}

void print_crashes() {
    print_title("the previous run did not end normally");
    using Ending = plugin_runtime::loop::Breadcrumbs::Ending;
    const std::vector<std::string> calls{"aws (aws.so 1.0), refresh",
                                         "score (score.so 1.2), filter"};
    for (const Ending& ending : {Ending{.clean = false}, Ending{.clean = false, .inside = calls},
                                 Ending{.clean = false,
                                        .because = "the event loop has not responded for 30s",
                                        .inside = calls}})
        std::cerr << ending.sentence() << '\n';
}

void print_config_status() {
    print_title("the configuration is not in force");
    daemon::ConfigStatus status;
    const auto print = [](const daemon::ConfigStatus& of) { std::cerr << of.because() << '\n'; };
    status.is_gone = true;
    print(status);
    status = {};
    status.is_unread = true;
    print(status);
    status = {};
    status.refusal = "capstan.toml:3:1: unknown key 'unneded_time'\n";
    print(status);
    status = {};
    status.waiting = {"log.level", "admin.listen"};
    print(status);
}

void print_health() {
    print_title("health");
    const auto print = [](const char* title, const daemon::HealthCheck& health, Duration now) {
        std::cerr << title << ": " << health.complaint(now) << '\n';
    };
    daemon::HealthCheck health{config::Admin{}};
    health.begin(1, 0s);
    print("no pass", health, 1h);
    health.pass_began(1h);
    print("no success yet", health, 1h + 1min);
    health.pass_succeeded(1h);
    health.pass_began(2h);
    print("passes fail", health, 2h);
}

void print_pages() {
    print_title("pages of the admin port");
    daemon::AdminSources sources;
    sources.complaint = [] { return std::string("no pass has succeeded for 16m"); };
    sources.stuck = [] { return std::string(); };
    sources.unready = [] { return std::string("waiting for the cluster caches to sync"); };
    sources.snapshot = [](const auto&) {};
    for (const char* target : {"/", "/healthz", "/livez", "/readyz", "/nothing"})
        answer_admin(sources, "GET", target, [target](const HttpReply& reply) {
            std::cerr << "GET " << target << ": " << reply.status << '\n' << reply.body << "\n";
        });
    answer_admin(sources, "POST", "/", [](const HttpReply& reply) {
        std::cerr << "POST /: " << reply.status << '\n' << reply.body;
    });
}

}  // namespace

void print_runtime_texts() {
    print_starts("a plugin starts at the second try", {ErrorCode::unavailable}, false, 1s);
    print_starts("a plugin cannot start", {ErrorCode::unsupported}, false, 1s);
    print_starts("a plugin refuses its settings", {ErrorCode::invalid_config}, false, 1s);
    print_starts("the start of a plugin does not end", {}, true, 40s);
    print_stuck_calls();
    print_skipped_hooks();
    print_crashes();
    print_config_status();
    print_health();
    print_pages();
}

}  // namespace capstan::golden
