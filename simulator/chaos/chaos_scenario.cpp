#include "simulator/chaos/chaos_scenario.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/well_known.hpp>

#include "config/toml_values.hpp"
#include "kubernetes/base/json_path.hpp"
#include "simulator/chaos/dice.hpp"
#include "simulator/chaos/drawn_groups.hpp"
#include "simulator/chaos/drawn_settings.hpp"
#include "simulator/workload_objects.hpp"

namespace capstan::simulator::chaos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration storm_min = hours(2);
/// Longer than all default waits together: back-offs, drains, times of unneeded nodes.
constexpr Duration calm = hours(4);
/// The time a step lasts beyond its last action if it gives no length.
constexpr Duration step_default = minutes(30);

constexpr std::array<FaultKind, 15> kinds{
    FaultKind::stock_out,      FaultKind::quota,         FaultKind::api_error,
    FaultKind::throttled,      FaultKind::slow_calls,    FaultKind::removal_fails,
    FaultKind::lost_machine,   FaultKind::never_joins,   FaultKind::flap,
    FaultKind::eviction_error, FaultKind::clock_jump,    FaultKind::restart,
    FaultKind::restart_midway, FaultKind::policy_denial, FaultKind::interruption};

/// Drawn after all else, so that seeds keep what was drawn before.
constexpr std::array<FaultKind, 3> later_kinds{FaultKind::lost_lease, FaultKind::lost_lease_midway,
                                               FaultKind::unobserved};

/// Drawn after the above.
constexpr std::array<FaultKind, 7> latest_kinds{FaultKind::cordoned,    FaultKind::foreign_taint,
                                                FaultKind::lost_label,  FaultKind::deleted_node,
                                                FaultKind::lost_memory, FaultKind::old_memory,
                                                FaultKind::lost_answers};
/// Drawn once: several in a row would leave the autoscaler no time to act.
constexpr std::array<FaultKind, 6> single_kinds{
    FaultKind::silent,      FaultKind::unauthenticated, FaultKind::late_answers,
    FaultKind::stale_lists, FaultKind::partial_lists,   FaultKind::twin_node};
/// A cloud completes a list that lacked a page within a few minutes.
constexpr Duration partial_lists_max = minutes(3);

/// What the own random numbers of add_newest_kinds begin with, beside the seed.
constexpr std::uint64_t newest_seed = 0x6c656164657273;
/// For how long no replica leads: a Lease that is not renewed is free after 15 seconds.
constexpr Duration takeover_min = seconds(15), takeover_max = seconds(60);
/// Bytes. The memory of a few groups and nodes is about as large.
constexpr int memory_room_min = 300, memory_room_max = 6000;

/// Errors with which a cloud may refuse a group for ever.
constexpr std::array<std::string_view, 7> refusals{
    "quota", "conflict", "permission", "throttled", "out_of_capacity", "unavailable", "internal"};
/// One of so many seeds has groups_max groups.
constexpr int seeds_of_sizes = 400;
constexpr int groups_max = 2000;

config::TomlValue target_value(int target) {
    config::TomlValue table;
    table.children.push_back(
        {.kind = config::TomlValue::Kind::integer, .key = "target", .integer = target});
    return table;
}

struct GroupBounds {
    std::string id{};
    int min = 0;
    std::optional<int> max{};
    Duration from{0};                  ///< when its cloud gets the group
    Duration until = Duration::max();  ///< when its cloud loses the group
    config::TomlValue settings{};
};

std::optional<int> find_whole(const config::TomlValue& table, std::string_view key) {
    const config::TomlValue* found = table.find(key);
    if (found == nullptr || found->kind != config::TomlValue::Kind::integer) return std::nullopt;
    return static_cast<int>(found->integer);
}

GroupBounds bounds_from(const config::TomlValue& group, Duration from) {
    return {text_of(group, "id"),     find_whole(group, "min").value_or(0),
            find_whole(group, "max"), from,
            Duration::max(),          group};
}

/// The bounds of all groups that the clouds begin with or get later.
std::vector<GroupBounds> group_bounds(const std::vector<SimulatedCloud>& clouds,
                                      const std::vector<Action>& actions) {
    std::vector<GroupBounds> out;
    for (const SimulatedCloud& cloud : clouds) {
        const config::TomlValue* groups = cloud.settings.find("groups");
        if (groups == nullptr) continue;
        for (const config::TomlValue& group : groups->children)
            out.push_back(bounds_from(group, Duration(0)));
    }
    for (const Action& action : actions) {
        if (const auto* add = std::get_if<AddGroup>(&action.what))
            out.push_back(bounds_from(add->group, action.after));
        if (const auto* remove = std::get_if<RemoveGroup>(&action.what)) {
            for (GroupBounds& group : out)
                if (group.id == remove->id) group.until = std::min(group.until, action.after);
        }
    }
    return out;
}

std::string full_name(const PodBatch& batch) { return batch.pod.ns + "/" + batch.pod.name; }

/// All actions of the base, with times counted from its start. Adds the base's length to `length`.
std::vector<Action> flattened(const Input& base, Duration& length) {
    std::vector<Action> out;
    for (const Step& step : base.steps) {
        const Duration last = step.actions.empty() ? Duration(0) : step.actions.back().after;
        for (const Action& action : step.actions) {
            out.push_back(action);
            out.back().after += length;
            out.back().if_impossible = IfImpossible::skip_without_target;
        }
        length += step.advance.value_or(last + step_default);
    }
    return out;
}

std::vector<BalancerState> balancers_of(const Input& base) {
    std::vector<BalancerState> out;
    for (const std::string& text : base.plugin_objects) {
        const auto object = kubernetes::base::parse_json_object(text);
        if (object && kubernetes::base::text_at(*object, "kind") == "Balancer")
            out.push_back(read_balancer_state(*object));
    }
    return out;
}

/// Adds random faults and events to one base.
class ScenarioBuilder {
public:
    ScenarioBuilder(const Input& base, const std::vector<SimulatedCloud>& clouds,
                    std::uint64_t seed)
        : dice_(seed) {
        actions_ = flattened(base, length_);
        length_ = std::max(length_, storm_min);
        groups_ = group_bounds(clouds, actions_);
        find_batches();
    }

    ChaosScenario make(const Input& base, std::uint64_t seed,
                       const std::vector<SimulatedCloud>& clouds, const config::Config* config) {
        ChaosScenario out{.input = base, .faults = length_, .calm = calm};
        out.input.seed = seed;
        for (int n = dice_.between(4, 14); n > 0 && !scalable_.empty(); --n) scale();
        for (int n = dice_.between(2, 8); n > 0 && !batches_.empty(); --n) arrive(n);
        for (int n = dice_.between(0, 5); n > 0 && !groups_.empty(); --n) retarget();
        for (const FaultKind kind : kinds) {
            if (dice_.one_in(2)) add_faults(kind, out.input.faults);
        }
        // Drawn last, so that seeds keep what was drawn before.
        for (int n = dice_.between(0, 3); n > 0 && !batches_.empty(); --n) arrive_in_sizes(n);
        for (const GroupBounds& group : groups_)
            if (dice_.one_in(4)) settle_late(group);
        if (dice_.one_in(3)) add_fault_once(FaultKind::slow_scheduler, out.input.faults);
        for (const FaultKind kind : later_kinds) {
            if (dice_.one_in(2)) add_faults(kind, out.input.faults);
        }
        if (dice_.one_in(3)) add_fault_once(FaultKind::unwritten, out.input.faults);
        add_later_kinds(base, clouds, config, out);
        for (const BalancerState& balancer : balancers_of(base))
            for (int n = dice_.between(2, 6); n > 0; --n)
                add(some_time(), Scale{balancer.name, dice_.between(0, 2 * balancer.replicas + 2)});
        std::ranges::sort(actions_, [](const Action& a, const Action& b) {
            return std::pair(a.after, a.place.column) < std::pair(b.after, b.place.column);
        });
        for (Action& action : actions_) action.place.column = 0;
        out.input.steps = {Step{.actions = std::move(actions_), .advance = length_},
                           Step{.actions = {}, .advance = calm}};
        return out;
    }

private:
    /// What is drawn last.
    void add_later_kinds(const Input& base, const std::vector<SimulatedCloud>& clouds,
                         const config::Config* config, ChaosScenario& out) {
        for (const FaultKind kind : latest_kinds)
            if (dice_.one_in(3)) add_faults(kind, out.input.faults);
        for (const FaultKind kind : single_kinds) {
            if (!dice_.one_in(3)) continue;
            add_fault_once(kind, out.input.faults);
            Fault& fault = out.input.faults.back();
            if (kind == FaultKind::partial_lists)
                fault.lasts = std::min(fault.lasts, partial_lists_max);
        }
        for (int n = dice_.between(0, 2); n > 0 && !batches_.empty(); --n) arrive_owned(n);
        if (dice_.one_in(3)) add_odd_nodes();
        if (dice_.one_in(3) && !batches_.empty()) arrive_without_requests();
        if (dice_.one_in(2) && base.chaos.scheduler_score)
            out.input.scheduler_score = static_cast<SchedulerScore>(dice_.between(0, 2));
        for (const GroupBounds& group : groups_)
            if (dice_.one_in(8) && base.chaos.machine_types) mix_machines(group);
        for (const GroupBounds& group : groups_)
            if (dice_.one_in(8)) let_nodes_stay(group);
        if (dice_.one_in(6)) refuse_for_ever(out);
        if (config != nullptr && base.chaos.settings) draw_all_settings(*config, out);
        add_newest_kinds(out);
        if (base.chaos.sizes) multiply_groups(clouds, out);
    }

    /// These have random numbers of their own, so that seeds keep all other draws.
    void add_newest_kinds(ChaosScenario& out) {
        const Dice dice = std::exchange(dice_, Dice(out.input.seed ^ newest_seed));
        std::vector<Fault>& faults = out.input.faults;
        if (dice_.one_in(3)) add_faults(FaultKind::plugin_fails, faults);
        if (dice_.one_in(3)) {
            add_fault_once(FaultKind::memory_limit, faults);
            faults.back().room = dice_.between(memory_room_min, memory_room_max);
        }
        if (dice_.one_in(2)) {
            add_faults(FaultKind::takeover, faults);
            faults.back().lasts = dice_.between(takeover_min, takeover_max);
        }
        dice_ = dice;
    }

    /// Collects all batches of pods, and apart from these the batches that can be scaled: those of
    /// a ReplicaSet or StatefulSet that the base never removes.
    void find_batches() {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            actions_[i].place.column = static_cast<std::uint32_t>(i);  // keeps their order
            const auto* batch = std::get_if<PodBatch>(&actions_[i].what);
            if (batch == nullptr) continue;
            batches_.push_back(*batch);
            const bool goes = std::ranges::any_of(actions_, [&](const Action& action) {
                const auto* remove = std::get_if<Remove>(&action.what);
                return remove != nullptr &&
                       (remove->name == batch->pod.name || remove->name == full_name(*batch));
            });
            const bool has_controller = batch->controller == Controller::replica_set ||
                                        batch->controller == Controller::stateful_set;
            if (has_controller && !goes) scalable_.emplace_back(actions_[i].after, *batch);
        }
    }

    Duration some_time(Duration from = Duration(0)) { return dice_.between(from, length_); }

    template <class T>
    const T& one_of(const std::vector<T>& of) {
        return of[static_cast<std::size_t>(dice_.between(0, static_cast<int>(of.size()) - 1))];
    }

    void add(Duration after, ExternalEvent what) {
        // Actions of the same moment are sorted by the column, so they keep the order in which they
        // were added.
        Action action{.after = after, .what = std::move(what), .if_impossible = IfImpossible::skip};
        action.place.column = static_cast<std::uint32_t>(actions_.size());
        actions_.push_back(std::move(action));
    }

    void scale() {
        const auto& [from, batch] = one_of(scalable_);
        const int usual = batch.count.value_or(1);
        add(some_time(from), Scale{full_name(batch), dice_.between(0, 2 * usual + 2)});
    }

    /// Adds copies of an existing batch: a Job's pods, which end by themselves, or a ReplicaSet's,
    /// which in half of the cases is removed later.
    void arrive(int number) {
        PodBatch batch = one_of(batches_);
        const std::string name = "chaos-" + std::to_string(number);
        for (auto& [key, value] : batch.pod.labels) {
            if (value == batch.pod.name) value = name;
        }
        batch.pod.name = name;
        batch.count = dice_.between(1, 8);
        const Duration from = some_time();
        if (dice_.one_in(2)) {
            batch.controller = Controller::job;
            batch.duration = dice_.between(minutes(2), minutes(40));
        } else {
            batch.controller = Controller::replica_set;
            batch.duration.reset();
        }
        const bool goes = batch.controller == Controller::replica_set && dice_.one_in(2);
        const std::string full = full_name(batch);
        add(from, std::move(batch));
        if (goes) add(some_time(from), Remove{full});
    }

    /// Adds three batches with equal labels and different requests; they are removed at `to`.
    void add_in_sizes(PodBatch batch, const std::string& name, int count_max, Duration from,
                      std::optional<Duration> to) {
        batch.pod.labels = {{"app", name}};
        batch.pod.spec.spread.clear();
        batch.pod.spec.pod_affinity.clear();
        batch.pod.spec.pod_anti_affinity.clear();
        const std::int64_t cpu = batch.pod.spec.requests.amount("cpu");
        for (const int part : {1, 2, 3}) {
            batch.pod.name = name + "-" + std::to_string(part);
            batch.count = dice_.between(1, count_max);
            if (cpu > 0)
                batch.pod.spec.requests.set("cpu", std::max<std::int64_t>(cpu * part / 3, 1));
            add(from, batch);
            if (to) add(*to, Remove{full_name(batch)});
        }
    }

    /// Adds bare pods with equal labels and different requests, as of a workflow. They end by
    /// themselves.
    void arrive_in_sizes(int number) {
        PodBatch batch = one_of(batches_);
        const Duration from = some_time();
        batch.controller = Controller::none;
        batch.duration = dice_.between(minutes(2), minutes(40));
        add_in_sizes(std::move(batch), "chaos-sizes-" + std::to_string(number), 5, from, {});
    }

    /// Adds pods of one controller in three batches with different requests, which are removed
    /// later.
    void arrive_owned(int number) {
        PodBatch batch = one_of(batches_);
        const std::string name = "chaos-owner-" + std::to_string(number);
        const Duration from = some_time(), to = some_time(from);
        batch.controller = Controller::replica_set;
        batch.duration.reset();
        batch.pod.owner = {.name = name};
        add_in_sizes(std::move(batch), name, 4, from, to);
    }

    /// Adds pods whose containers request nothing.
    void arrive_without_requests() {
        PodBatch batch = one_of(batches_);
        batch.pod.name = "chaos-empty";
        batch.pod.labels = {{"app", batch.pod.name}};
        batch.pod.spec.requests = {};
        batch.controller = Controller::replica_set;
        batch.duration.reset();
        batch.count = dice_.between(1, 8);
        const Duration from = some_time();
        const std::string full = full_name(batch);
        add(from, std::move(batch));
        add(some_time(from), Remove{full});
    }

    /// Adds Node objects without spec and status, and with the providerID of no machine.
    void add_odd_nodes() {
        const std::string of = groups_.empty() ? "none" : one_of(groups_).id;
        for (const std::string& provider_id :
             {std::string(), "simulated://" + of + "/9999", std::string("other:///zone/i-0")}) {
            if (dice_.one_in(2)) continue;
            engine::snapshot::NodeObject node{.name = "odd-" + std::to_string(provider_id.size()),
                                              .provider_id = provider_id};
            node.ready = dice_.one_in(2);
            const Duration from = some_time();
            add(from, node);
            add(some_time(from), Remove{node.name});
        }
    }

    /// From some time on the group's new machines are of two types.
    void mix_machines(const GroupBounds& group) {
        const Duration from = some_time(group.from);
        auto mix = make_mix(group.settings, dice_.between(100, 200));
        if (!mix) return;
        add(from, std::move(mix->registration));
        add(from, std::move(mix->change));
    }

    /// Nodes of the group outlive their machines for some time.
    void let_nodes_stay(const GroupBounds& group) {
        const Duration from = some_time(), to = some_time(from);
        add(from, Registration{.group = group.id, .nodes_stay = true});
        add(to, Registration{.group = group.id, .nodes_stay = false});
    }

    /// Increases of one group fail from some time on. Another fault may end that, so it begins anew
    /// when all faults are over.
    void refuse_for_ever(ChaosScenario& out) {
        const auto stays = [](const GroupBounds& group) { return group.until == Duration::max(); };
        if (groups_.size() < 2 || !std::ranges::all_of(groups_, stays)) return;
        out.refused = one_of(groups_).id;
        const std::string_view code =
            refusals[static_cast<std::size_t>(dice_.between(0, int{refusals.size()} - 1))];
        const CloudChange refusal = refuse_increases(out.refused, code, dice_.one_in(3));
        add(some_time(), refusal);
        add(length_, refusal);
    }

    /// Draws settings for the start, and for a few reloads.
    void draw_all_settings(const config::Config& config, ChaosScenario& out) {
        out.input.scan_interval = draw_scan_interval(dice_, out.input.scan_interval);
        const bool is_reloaded = std::ranges::any_of(actions_, [](const Action& action) {
            return std::holds_alternative<Reload>(action.what);
        });
        if (is_reloaded) return;
        std::vector<Duration> times;
        if (dice_.one_in(2)) times.emplace_back(0);
        for (int n = dice_.between(0, 3); n > 0; --n) times.push_back(some_time());
        std::ranges::sort(times);
        Reload settings = settings_of(config);
        for (const Duration at : times) {
            draw_settings(dice_, settings);
            if (!settings.text.empty()) add(at, settings);
        }
    }

    /// Gives each cloud more groups, in a few seeds very many. Each fault of a cloud then costs a
    /// check of all groups' settings, so there are fewer faults.
    void multiply_groups(const std::vector<SimulatedCloud>& clouds, ChaosScenario& out) {
        const bool is_large = dice_.one_in(seeds_of_sizes);
        const bool is_larger = dice_.one_in(20);
        if (!is_large && !is_larger) return;
        if (is_large)
            for (Fault& fault : out.input.faults)
                if (fault.chance) *fault.chance /= 10;
        const int total = is_large ? groups_max / static_cast<int>(clouds.size()) : 30;
        for (const SimulatedCloud& cloud : clouds)
            if (auto edit = multiplied_groups(cloud, total)) add(Duration(0), *std::move(edit));
    }

    /// From some time on nodes of the group are ready before they have their GPUs, or carry a taint
    /// for some seconds after that, which no setting names.
    void settle_late(const GroupBounds& group) {
        if (dice_.one_in(2)) {
            add(some_time(),
                Registration{.group = group.id,
                             .late_resources = std::vector{std::string(well_known::nvidia_gpu)},
                             .late_by = dice_.between(seconds(5), minutes(4))});
            return;
        }
        const Taint starting{.key = "agent.example.com/starting", .effect = Effect::no_schedule};
        add(some_time(), Registration{.group = group.id,
                                      .taints = std::vector{starting},
                                      .late_taints = std::vector{starting.key},
                                      .late_by = dice_.between(seconds(5), seconds(50))});
    }

    /// Another client sets the target of a group that exists at that time.
    void retarget() {
        const Duration at = some_time();
        std::vector<GroupBounds> there;
        for (const GroupBounds& group : groups_)
            if (group.from <= at && at < group.until) there.push_back(group);
        if (there.empty()) return;
        const GroupBounds& group = one_of(there);
        const int most = std::min(group.max.value_or(group.min + 6), group.min + 6);
        add(at, CloudChange{group.id, target_value(dice_.between(group.min, most))});
    }

    void add_faults(FaultKind kind, std::vector<Fault>& out) {
        out.push_back(fault(kind));
        if (kind != FaultKind::clock_jump) return;
        // One clock jump goes forward and one back.
        out.push_back(fault(kind));
        out.back().lasts *= -1;
    }
    /// Once: in several in a row no pod would get a node for hours.
    void add_fault_once(FaultKind kind, std::vector<Fault>& out) {
        out.push_back(fault(kind));
        out.back().chance.reset();
    }
    Fault fault(FaultKind kind) {
        Fault out{.kind = kind, .group = {}};
        out.lasts = dice_.between(minutes(1), minutes(20));
        const Duration last = length_ - out.lasts - seconds(1);
        out.from = dice_.between(Duration(0), last / 2);
        out.chance = dice_.between(1, 20) / 100.0;
        out.every = dice_.between(minutes(1), minutes(6));
        out.until = last;
        return out;
    }

    Dice dice_;
    std::vector<GroupBounds> groups_;
    std::vector<Action> actions_;
    Duration length_{0};
    std::vector<PodBatch> batches_;
    std::vector<std::pair<Duration, PodBatch>> scalable_;
};

}  // namespace

Result<ChaosScenario> make_chaos_scenario(const Input& base,
                                          const std::vector<SimulatedCloud>& clouds,
                                          std::uint64_t seed, const config::Config* config) {
    if (clouds.empty())
        return fail(ErrorCode::invalid_config,
                    base.source +
                        ": --chaos needs a simulated cloud; the configuration names other clouds");
    return ScenarioBuilder(base, clouds, seed).make(base, seed, clouds, config);
}

}  // namespace capstan::simulator::chaos
