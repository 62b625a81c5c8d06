#include "runtime/daemon/autoscaler.hpp"

#include <algorithm>
#include <utility>

#include "engine/removal/node_looks.hpp"
#include "engine/removal/results.hpp"
#include "runtime/actuator.hpp"
#include "runtime/daemon/soft_taint_clock.hpp"
#include "runtime/engine_settings.hpp"

namespace capstan::runtime {
Result<std::unique_ptr<Autoscaler>> Autoscaler::make(const Config& config, Parts parts) {
    std::unique_ptr<Autoscaler> out(new Autoscaler(std::move(parts)));
    CAPSTAN_CHECK(out->take_over(config));
    return out;
}

Result<void> Autoscaler::take_over(const Config& config) {
    CAPSTAN_TRY(Wiring wiring, wire(config.pipeline, parts_.host));
    // Another set of clouds begins without what the old one knew; the same goes on with it.
    const bool has_sources = !config.pipeline.scale_up.group_sources.empty();
    if (!clouds_ || cloud_ids_ != config.pipeline.clouds || has_sources_ != has_sources) {
        CAPSTAN_TRY(clouds_, Clouds::make(config.pipeline, parts_.host, parts_.gate));
        cloud_ids_ = config.pipeline.clouds;
        has_sources_ = has_sources;
    }
    wiring_ = std::move(wiring);
    settings_ = make_settings(config.scale_up, config.scale_down, config.limits);
    return {};
}

void Autoscaler::forget(const std::vector<PluginInstanceId>& exchanged) {
    std::erase_if(misses_, [&](const HookMiss& miss) {
        return std::ranges::find(exchanged, miss.instance) != exchanged.end();
    });
}

Result<std::shared_ptr<PassReport>> Autoscaler::look() {
    const Duration began = now();
    CAPSTAN_TRY(const engine::Cluster cluster, parts_.look());
    std::string blind = blind_because();
    const Duration looked = now();
    const CloudsView view = clouds_->refresh_now(parts_.host);
    // Clouds take their time, in which the cluster may have gone out of sight.
    if (blind.empty()) blind = blind_because();
    const engine::PassTime time = clock_.read();
    auto out = std::make_shared<PassReport>(PassInput{
        .snapshot = {cluster, engine::with_unread_groups(view.groups, view.unread, memory_),
                     view.machines},
        .memory = memory_,
        .settings = settings_,
        .wiring = wiring_,
        .clouds = clouds_->instances(),
        .circumstances = {.seed = parts_.seed,
                          .now = time.now,
                          .wall = time.wall,
                          .dry_run = parts_.dry_run,
                          .blind_because = std::move(blind)},
        .known_misses = misses_,
        .earlier = groups_});
    out->problems = view.problems;
    out->times.look = looked - began;
    out->times.refresh = now() - looked;
    return out;
}

/// Looks, and decides on what it has seen.
Result<std::shared_ptr<PassReport>> Autoscaler::plan() {
    CAPSTAN_TRY(std::shared_ptr<PassReport> out, look());
    const Duration looked = now();
    CAPSTAN_TRY(out->result, decide(out->input, thread_));
    out->times.decide = now() - looked;
    return out;
}

Result<std::shared_ptr<const PassReport>> Autoscaler::run() {
    const Duration began = now();
    // A pass that comes to nothing asks for none, however late the one before wanted this one.
    wake_at_.reset();
    Result<std::shared_ptr<PassReport>> planned = plan();
    if (!planned) {
        // Until a pass succeeds nothing tells whether nodes are needed.
        if (!memory_.blind_since) memory_.blind_since = clock_.read().now;
        return fail(std::move(planned).error());
    }
    std::shared_ptr<PassReport> report = *std::move(planned);
    misses_ = report->result.misses;
    groups_ = {report->input.snapshot.groups, report->result.groups};
    report->input.earlier = {};  // whoever keeps the report has no use for it
    report->input.snapshot.groups = report->result.groups;
    if (const Result<void> may = parts_.may_act(); !may) {
        report->dropped_because = may.error().message;
        report->memory = memory_;
    } else {
        act(*report);
    }
    report->at = parts_.host.loop().clock()->now();
    report->times.total = now() - began;
    return report;
}

void Autoscaler::act(PassReport& report) {
    const Duration began = now();
    const engine::Decision& decision = report.decision();
    const bool is_dry = parts_.dry_run;
    // A host that dies in the middle of it is to know what the new nodes are for.
    if (!decision.increases.empty() && !is_dry)
        parts_.keep(engine::remember_plan(memory_, report.result.outcome, settings_,
                                          report.input.circumstances.now));
    SoftTaintClock cluster(parts_.cluster, parts_.host.loop());
    // The report keeps what was decided on.
    engine::Circumstances circumstances = report.input.circumstances;
    if (circumstances.blind_because.empty()) circumstances.blind_because = blind_because();
    report.results = carry_out_now(
        decision, engine::looks_before(decision, report.input.snapshot.cluster, settings_),
        *clouds_, cluster, circumstances, parts_.host, find_whole_groups(*report.result.groups));
    report.times.soft_taints = cluster.took();
    const Time end = parts_.host.loop().clock()->now();
    report.times.carry_out = now() - began;
    memory_ = engine::remember_results(report.result.outcome.memory, decision, report.results,
                                       settings_, end);
    if (!is_dry) parts_.keep(memory_);
    report.memory = memory_;
    wake_at_ = report.result.outcome.wake_at;
    if (is_dry) {
        // Nothing comes of anything, so there is nothing to see at once.
        if (wake_at_ && *wake_at_ <= report.input.circumstances.now) wake_at_.reset();
    } else if (const auto step =
                   engine::find_next_step(memory_, settings_, end, &report.input.snapshot,
                                          circumstances.blind_because.empty())) {
        wake_at_ = std::min(wake_at_.value_or(*step), *step);
    }
}

}  // namespace capstan::runtime
