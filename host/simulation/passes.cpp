#include "simulation/passes.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "runtime/engine_settings.hpp"

namespace capstan::simulation {
namespace {

/// Whether a pass could not tell the two apart; prices and options are asked anew in each.
bool is_same(const engine::Group& a, const engine::Group& b) {
    return a.group == b.group && a.machines == b.machines && a.cloud == b.cloud &&
           a.undescribed_because == b.undescribed_because &&
           (a.described == b.described ||
            (a.described && b.described && *a.described == *b.described));
}

/// What a world without an API server answers: nodes and pods stay as they are.
class StillCluster final : public runtime::ClusterClient {
public:
    void change(const engine::NodeChange& change, Done done) override {
        done(fail(ErrorCode::unsupported, "node " + change.node + " cannot be changed here"));
    }
    void evict(const engine::Eviction& eviction, Done done) override {
        done(fail(ErrorCode::unsupported, "pod " + eviction.pod + " cannot be evicted here"));
    }
};

std::string change_of(const engine::Increase& increase) {
    return "increase " + increase.group.value() + " by " + std::to_string(increase.by);
}

std::vector<Unhelped> unhelped_of(const engine::Decision& decision, const World& world) {
    std::vector<Unhelped> out;
    for (const engine::Unhelped& u : decision.unhelped) {
        Unhelped line{
            .batch = world.batch_of(u.pods.example), .count = u.pods.count, .because = u.because};
        for (const engine::GroupReason& reason : u.groups) {
            for (const NodeGroupId& group : reason.groups)
                line.in_group.emplace(group.value(), reason.sentence);
        }
        out.push_back(std::move(line));
    }
    return out;
}

}  // namespace

Passes::Passes(const runtime::Config& config, runtime::PluginHost& host, std::uint64_t seed,
               const Parts& parts)
    : host_(host),
      parts_(parts),
      settings_(runtime::make_settings(config.scale_up, config.scale_down, config.limits)),
      seed_(seed) {}

Result<Passes> Passes::make(const runtime::Config& config, runtime::PluginHost& host,
                            std::uint64_t seed, std::optional<std::vector<Time>> looks,
                            const Parts& parts) {
    Passes out(config, host, seed, parts);
    out.looks_ = std::move(looks);
    CAPSTAN_TRY(out.wiring_, runtime::wire(config.pipeline, host));
    CAPSTAN_TRY(out.clouds_, runtime::Clouds::make(config.pipeline, host));
    return out;
}

Time Passes::now() { return host_.loop().clock()->now(); }

void Passes::adopt() {
    groups_ = clouds_->refresh_now(host_).groups;
    parts_.machines.adopt(*groups_, now());
}

void Passes::look() {
    wants_look_ = false;
    if (looks_) std::erase_if(*looks_, [&](Time at) { return at <= now(); });
    const runtime::CloudsView view = clouds_->refresh_now(host_);
    parts_.tally.reach(now());
    std::vector<std::string> problems;
    for (const Error& problem : view.problems) problems.push_back(problem.message);
    const bool is_like_before = problems == problems_ && groups_->size() == view.groups->size() &&
                                std::ranges::equal(*groups_, *view.groups, is_same);
    if (!is_like_before) has_changed_ = true;
    groups_ = view.groups;
    problems_ = std::move(problems);
    parts_.machines.observe(*groups_, now());
    if (parts_.world.schedule(now())) has_changed_ = true;
}

Result<void> Passes::run() {
    look();
    const bool is_awake = has_changed_ || (wake_at_ && *wake_at_ <= now());
    if (!is_awake && !parts_.every_pass) return {};
    has_changed_ = false;
    const engine::Circumstances circumstances{.seed = seed_, .now = now(), .simulation = true};
    const runtime::PassInput input{.snapshot = {parts_.world.cluster(), groups_},
                                   .memory = memory_,
                                   .settings = settings_,
                                   .wiring = wiring_,
                                   .clouds = clouds_->instances(),
                                   .circumstances = circumstances,
                                   .known_misses = misses_};
    CAPSTAN_TRY(const runtime::PassResult result, runtime::decide(input));
    parts_.tally.passed();
    misses_ = result.misses;
    wake_at_ = result.outcome.wake_at;
    tell(result);
    parts_.observer.on_pass(input, result);
    carry_out(result.outcome, circumstances);
    return {};
}

void Passes::carry_out(const engine::Outcome& outcome, const engine::Circumstances& circumstances) {
    const engine::Decision& decision = outcome.decision;
    StillCluster cluster;
    const engine::Results results =
        runtime::carry_out_now(decision, *clouds_, cluster, circumstances, host_);
    parts_.tally.reach(now());
    memory_ = engine::remember_results(outcome.memory, decision, results, settings_, now());
    for (std::size_t i = 0; i < decision.increases.size(); ++i) {
        const engine::Increase& increase = decision.increases[i];
        commands_.push_back(change_of(increase));
        if (!results.increases[i]) {
            parts_.story.tell(now(), EventKind::increase, increase.group.value(),
                              change_of(increase) + ": " + std::to_string(increase.from) + " -> " +
                                  std::to_string(increase.from + increase.by),
                              increase.by, increase.because);
        } else {
            parts_.story.tell(now(), EventKind::failure, increase.group.value(),
                              change_of(increase) + " is refused", increase.by,
                              results.increases[i]->message);
        }
    }
    if (!decision.increases.empty()) has_changed_ = true;
}

/// What stays true from pass to pass is told once.
void Passes::note(const std::vector<std::string>& notes) {
    for (const std::string& text : notes) {
        if (!noted_.contains(text)) parts_.story.tell(now(), EventKind::note, "", text);
    }
    noted_ = {notes.begin(), notes.end()};
}

void Passes::tell(const runtime::PassResult& result) {
    for (const engine::Group& group : *result.groups)
        parts_.tally.price(group.group.id.value(), group.price_per_hour);
    const engine::Decision& decision = result.outcome.decision;
    std::vector<std::string> notes = problems_;
    notes.insert(notes.end(), decision.notes.begin(), decision.notes.end());
    for (const runtime::HookMiss& miss : result.misses) {
        notes.push_back(miss.instance.value() + ": " + std::string(runtime::name_of(miss.hook)) +
                        " overran its deadline; decided without it");
    }
    note(notes);
    std::vector<Unhelped> unhelped = unhelped_of(decision, parts_.world);
    for (const Unhelped& u : unhelped) {
        const bool is_known = std::ranges::any_of(unhelped_, [&](const Unhelped& old) {
            return old.batch == u.batch && old.count == u.count && old.because == u.because;
        });
        if (is_known) continue;
        parts_.story.tell(now(), EventKind::unhelped, u.batch,
                          u.batch + ": " + counted(u.count, "pod") +
                              (u.count == 1 ? " stays" : " stay") + " without room",
                          u.count, u.because);
    }
    unhelped_ = std::move(unhelped);
    skipped_.clear();
    for (const engine::SkippedPods& s : decision.skipped)
        skipped_ += (skipped_.empty() ? "" : ", or ") + s.because;
}

std::optional<Time> Passes::wanted_at() const {
    return parts_.every_pass || !looks_ ? std::optional(Time{}) : needed_at();
}

std::optional<Time> Passes::needed_at() const {
    if (has_changed_ || wants_look_ || parts_.machines.is_awaiting()) return Time{};
    if (!looks_ || looks_->empty()) return wake_at_;
    return wake_at_ ? std::min(*wake_at_, looks_->front()) : looks_->front();
}

std::vector<std::string> Passes::take_commands() { return std::exchange(commands_, {}); }

}  // namespace capstan::simulation
