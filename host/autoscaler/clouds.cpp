#include "autoscaler/clouds.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

namespace capstan::autoscaler {
namespace {

/// Longer than the deadlines of one refresh and its descriptions add up to.
constexpr Duration answer_patience = std::chrono::hours(1);

bool ascends(const std::vector<engine::Group>& groups) {
    return std::ranges::adjacent_find(groups, [](const auto& before, const auto& after) {
               return !(before.group.id < after.group.id);
           }) == groups.end();
}

Error dispute_of(const engine::Group& group, const PluginInstanceId& owner) {
    return {.code = ErrorCode::conflict,
            .message = "plugin " + group.cloud.value() + ": group " +
                       in_quotes(group.group.id.value()) + ": duplicate group id: plugin " +
                       owner.value() + " is earlier in pipeline.clouds and wins",
            .subject = group.group.id.value()};
}

using Groups = std::vector<engine::Group>;

/// Gives each machine that several clouds list to one of them.
class MachineDisputes {
public:
    using Ranks = std::map<PluginInstanceId, std::size_t>;
    using Prefixes = std::map<PluginInstanceId, std::string>;

    /// `ranks`: of clouds, the lower goes first. `prefixes`: CloudView::lists_all_with_prefix.
    /// `before`: the groups of the view before.
    MachineDisputes(const Ranks& ranks, const Prefixes& prefixes, const Groups& before)
        : ranks_(ranks), prefixes_(prefixes), before_(before) {}

    void settle(Groups& groups, std::vector<Error>& problems) {
        std::unordered_map<std::string_view, std::size_t> owners;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (const Machine& machine : groups[g].machines) {
                const auto [at, is_new] = owners.try_emplace(machine.id.value(), g);
                if (is_new || groups[at->second].cloud == groups[g].cloud) continue;
                const bool is_owner = precedes(groups[g], groups[at->second], machine.id);
                const std::size_t other = is_owner ? std::exchange(at->second, g) : g;
                lost_[other].push_back({machine.id, groups[at->second].cloud});
            }
        }
        for (const auto& [group, machines] : lost_) withdraw(groups[group], machines, problems);
    }

private:
    struct Lost {
        MachineId machine{};
        PluginInstanceId owner{};
    };

    bool precedes(const engine::Group& a, const engine::Group& b, const MachineId& machine) {
        const auto rank = [&](const engine::Group& group) {
            return std::tuple(!has_prefix(group.cloud, machine), !had(group.cloud, machine),
                              ranks_.at(group.cloud));
        };
        return rank(a) < rank(b);
    }
    bool has_prefix(const PluginInstanceId& cloud, const MachineId& machine) const {
        const auto at = prefixes_.find(cloud);
        return at != prefixes_.end() && !at->second.empty() &&
               machine.value().starts_with(at->second);
    }
    bool had(const PluginInstanceId& cloud, const MachineId& machine) {
        if (owners_before_.empty()) {
            for (const engine::Group& group : before_)
                for (const Machine& each : group.machines)
                    owners_before_.emplace(each.id.value(), &group.cloud);
        }
        const auto at = owners_before_.find(machine.value());
        return at != owners_before_.end() && *at->second == cloud;
    }
    static void withdraw(engine::Group& group, const std::vector<Lost>& machines,
                         std::vector<Error>& problems) {
        const Lost& first = machines.front();
        const std::string more =
            machines.size() == 1 ? "" : " (and " + std::to_string(machines.size() - 1) + " more)";
        const std::string because = "machine " + in_quotes(first.machine.value()) + more +
                                    " is also listed by plugin " + first.owner.value() +
                                    " and counts there";
        problems.push_back({.code = ErrorCode::conflict,
                            .message = "plugin " + group.cloud.value() + ": group " +
                                       in_quotes(group.group.id.value()) + ": " + because,
                            .subject = group.group.id.value()});
        if (group.unreadable_because.empty()) group.unreadable_because = because;
        std::erase_if(group.machines, [&](const Machine& machine) {
            return std::ranges::find(machines, machine.id, &Lost::machine) != machines.end();
        });
    }

    const Ranks& ranks_;
    const Prefixes& prefixes_;
    const Groups& before_;
    std::unordered_map<std::string_view, const PluginInstanceId*> owners_before_{};  ///< if asked
    std::map<std::size_t, std::vector<Lost>> lost_{};                                ///< by group
};

/// One group of each id, the first of those in the order given. `before`: the view before.
std::shared_ptr<const Groups> merge(const std::vector<CloudReading>& readings, const Groups& before,
                                    std::vector<Error>& problems) {
    MachineDisputes::Ranks ranks;
    MachineDisputes::Prefixes prefixes;
    std::map<NodeGroupId, const engine::Group*> merged;
    for (const CloudReading& reading : readings) {
        problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
        for (const engine::Group& group : *reading.groups) {
            ranks.try_emplace(group.cloud, ranks.size());
            if (reading.view != nullptr)
                prefixes.try_emplace(group.cloud, reading.view->lists_all_with_prefix);
            const auto [kept, is_new] = merged.try_emplace(group.group.id, &group);
            if (!is_new) problems.push_back(dispute_of(group, kept->second->cloud));
        }
    }
    if (readings.size() == 1 && ascends(*readings.front().groups)) return readings.front().groups;
    Groups out;
    out.reserve(merged.size());
    for (const auto& [id, group] : merged) out.push_back(*group);
    if (ranks.size() > 1) MachineDisputes(ranks, prefixes, before).settle(out, problems);
    return std::make_shared<const Groups>(std::move(out));
}

using Machines = std::vector<engine::CloudMachines>;

/// NULL: no cloud makes groups.
std::shared_ptr<const Machines> read_machines(const std::vector<CloudReading>& readings,
                                              const std::vector<PluginInstanceId>& clouds) {
    Machines out;
    for (std::size_t cloud = 0; cloud < readings.size(); ++cloud) {
        if (readings[cloud].machines->empty()) continue;
        out.push_back({clouds[cloud], *readings[cloud].machines});
    }
    return out.empty() ? nullptr : std::make_shared<const Machines>(std::move(out));
}

/// The reading of a cloud that has not started. Its groups are not known.
CloudReading absent_reading(const PluginInstanceId& cloud, CloudState& state) {
    const std::string because = "plugin " + cloud.value() + ": not started";
    state = {.cloud = cloud, .status = CloudStatus::failed, .because = because};
    return {.problems = {{.code = ErrorCode::unavailable, .message = because}},
            .unread_because = because};
}

std::size_t count_problems(const std::vector<CloudReading>& readings) {
    std::size_t out = 0;
    for (const CloudReading& reading : readings) out += reading.problems.size();
    return out;
}

}  // namespace

Result<std::shared_ptr<Clouds>> Clouds::make(const config::Pipeline& pipeline,
                                             const PluginHost& host,
                                             const plugin_runtime::instances::ChangeGate& gate,
                                             Missing missing) {
    std::shared_ptr<Clouds> out(new Clouds(gate));
    CAPSTAN_CHECK(out->set_pipeline(pipeline, host, missing));
    return out;
}

Result<std::shared_ptr<CloudReader>> Clouds::make_reader(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) const {
    CAPSTAN_TRY(auto client,
                plugin_runtime::instances::CloudClient::of(std::move(instance), gate_));
    return std::make_shared<CloudReader>(std::move(client));
}

Result<void> Clouds::set_pipeline(const config::Pipeline& pipeline, const PluginHost& host,
                                  Missing missing) {
    std::map<PluginInstanceId, std::shared_ptr<CloudReader>> readers;
    for (const PluginInstanceId& id : pipeline.clouds) {
        CAPSTAN_TRY(auto instance, find_instance(host, id, missing));
        auto& reader = readers[id];
        if (instance == nullptr) continue;
        CAPSTAN_TRY(reader, make_reader(std::move(instance)));
    }
    const std::lock_guard lock(mutex_);
    ids_ = pipeline.clouds;
    asks_machine_types_ = !pipeline.scale_up.group_sources.empty();
    for (auto& [id, reader] : readers) {
        Cloud& cloud = clouds_[id];
        if (cloud.reader == nullptr) cloud.reader = std::move(reader);
    }
    return {};
}

Result<void> Clouds::join(std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) {
    const PluginInstanceId id = instance->context().identity().id;
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(ids_, id) == ids_.end()) return {};
    std::shared_ptr<CloudReader>& place = clouds_.at(id).reader;
    if (place != nullptr) return {};
    CAPSTAN_TRY(place, make_reader(std::move(instance)));
    return {};
}

std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> Clouds::instances() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> out;
    for (const PluginInstanceId& id : ids_)
        if (const auto& reader = clouds_.at(id).reader; reader != nullptr)
            out.push_back(reader->client()->instance());
    return out;
}

RefreshPatience patience_of(Duration scan_interval) noexcept {
    using std::chrono::seconds;
    const Duration unresponsive_after =
        std::max<Duration>(seconds(5), std::min<Duration>(3 * scan_interval, seconds(15)));
    return {.unresponsive_after = unresponsive_after,
            .unresponsive_again_after = std::min(unresponsive_after, scan_interval / 2),
            .late_answer_age = unresponsive_after + scan_interval};
}

std::map<PluginInstanceId, std::optional<Error>> CloudsView::results() const {
    std::map<PluginInstanceId, std::optional<Error>> out;
    for (const CloudState& state : states)
        if (state.failure || state.status == CloudStatus::answered)
            out.emplace(state.cloud, state.failure);
    return out;
}

void Clouds::set_patience(std::optional<RefreshPatience> patience) {
    const std::lock_guard lock(mutex_);
    patience_ = patience;
}

void Clouds::set_on_late(std::function<void()> on_late) {
    const std::lock_guard lock(mutex_);
    on_late_ = std::move(on_late);
}

void Clouds::ask(PluginHost& host, const Restraint& restraint) {
    const Duration now = host.loop().monotonic();
    const Time wall = host.loop().clock()->wall();
    std::vector<std::pair<PluginInstanceId, std::shared_ptr<CloudReader>>> asked;
    bool with_machine_types = false;
    {
        const std::lock_guard lock(mutex_);
        with_machine_types = asks_machine_types_;
        for (const PluginInstanceId& id : ids_) {
            auto& [reader, answers] = clouds_.at(id);
            const bool is_answered =
                patience_ && answers.has_unused(now - patience_->late_answer_age);
            if (reader == nullptr || restraint.backed_off.contains(id) || answers.is_under_way() ||
                is_answered)
                continue;
            answers.begin(now, wall);
            asked.emplace_back(id, reader);
        }
    }
    for (const auto& [id, reader] : asked)
        reader->read({.machine_types = with_machine_types, .probe = restraint.probed.contains(id)},
                     [self = shared_from_this(), id = id,
                      clock = host.loop().clock()](CloudReading reading) {
                         self->take(id, std::move(reading), clock->monotonic(), clock->wall());
                     });
}

void Clouds::take(const PluginInstanceId& cloud, CloudReading reading, Duration now, Time wall) {
    std::function<void()> waiting;
    std::function<void()> on_late;
    {
        const std::lock_guard lock(mutex_);
        ++ended_;
        CloudAnswers& answers = clouds_.at(cloud).answers;
        answers.end(std::move(reading), now, wall,
                    patience_ ? std::optional(patience_->unresponsive_after) : std::nullopt);
        waiting = std::exchange(waiting_, nullptr);
        if (answers.was_given_up()) on_late = on_late_;
    }
    if (waiting) waiting();
    if (on_late) on_late();
}

/// When the next of the clouds that are waited for becomes unresponsive; absent: none is waited
/// for.
std::optional<Duration> Clouds::next_deadline(Duration now) const {
    std::optional<Duration> out;
    for (const PluginInstanceId& id : ids_) {
        const CloudAnswers& answers = clouds_.at(id).answers;
        if (!answers.is_under_way()) continue;
        Duration deadline = answers.began() + answer_patience;
        if (patience_)
            deadline = answers.began() + (answers.is_slow() ? patience_->unresponsive_again_after
                                                            : patience_->unresponsive_after);
        if (deadline > now) out = std::min(out.value_or(deadline), deadline);
    }
    return out;
}

/// Waits until no refresh is under way that has not reached its deadline.
void Clouds::await(PluginHost& host) {
    for (;;) {
        std::optional<Duration> deadline;
        std::uint64_t seen = 0;
        const Duration now = host.loop().monotonic();
        {
            const std::lock_guard lock(mutex_);
            deadline = next_deadline(now);
            seen = ended_;
        }
        if (!deadline) return;
        await_one(host, *deadline, seen);
    }
}

/// Waits until more than `seen` refreshes have ended, or until the deadline.
void Clouds::await_one(PluginHost& host, Duration deadline, std::uint64_t seen) {
    const Duration patience = deadline - host.loop().monotonic();
    const auto ended = host.wait<void>(
        [this, seen](const PluginHost::Done<void>& done) {
            bool is_there = false;
            {
                const std::lock_guard lock(mutex_);
                is_there = ended_ > seen;
                if (!is_there) waiting_ = [done] { done({}); };
            }
            if (is_there) done({});
        },
        std::max(patience, Duration(0)));
    if (ended) return;
    {
        const std::lock_guard lock(mutex_);
        waiting_ = nullptr;
    }
    // Virtual time stands still where nothing happens before the deadline.
    const Duration rest = deadline - host.loop().monotonic();
    if (host.virtual_loop() != nullptr && rest > Duration(0)) host.virtual_loop()->advance(rest);
}

CloudsView Clouds::refresh_now(PluginHost& host, const Restraint& restraint) {
    ask(host, restraint);
    await(host);
    const std::lock_guard lock(mutex_);
    std::vector<CloudReading> readings;
    std::vector<CloudState> states;
    for (const PluginInstanceId& id : ids_) {
        CloudState& state = states.emplace_back();
        auto& [reader, answers] = clouds_.at(id);
        if (reader == nullptr) {
            readings.push_back(absent_reading(id, state));
            continue;
        }
        const auto reason = restraint.backed_off.find(id);
        readings.push_back(answers.reading_for_view(
            id, reason == restraint.backed_off.end() ? nullptr : &reason->second, state));
    }
    CloudsView out = merged(std::move(readings));
    out.states = std::move(states);
    view_ = out;
    return out;
}

/// Makes the view of `readings`. Lists of the last view are used again where they would be made of
/// the same lists.
CloudsView Clouds::merged(std::vector<CloudReading> readings) {
    CAPSTAN_ASSERT(readings.size() == ids_.size(), "the readings are of other clouds");
    const auto are_same = [&](auto list) {
        return std::ranges::equal(readings, merged_, {}, list, list);
    };
    CloudsView out;
    if (!is_disputed_ && are_same(&CloudReading::groups)) {
        out.groups = view_.groups;
        for (const CloudReading& reading : readings)
            std::ranges::copy(reading.problems, std::back_inserter(out.problems));
    } else {
        out.groups = merge(readings, *view_.groups, out.problems);
        is_disputed_ = out.problems.size() > count_problems(readings);
    }
    for (std::size_t cloud = 0; cloud < readings.size(); ++cloud) {
        if (!readings[cloud].unread_because.empty())
            out.unread.emplace(ids_[cloud], readings[cloud].unread_because);
        if (readings[cloud].view != nullptr)
            out.cloud_views.emplace(ids_[cloud], readings[cloud].view);
    }
    out.machines =
        are_same(&CloudReading::machines) ? view_.machines : read_machines(readings, ids_);
    merged_ = std::move(readings);
    return out;
}

CloudsView Clouds::view() const {
    const std::lock_guard lock(mutex_);
    return view_;
}

std::shared_ptr<plugin_runtime::instances::CloudClient> Clouds::find(
    const PluginInstanceId& cloud) const {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(ids_, cloud) == ids_.end()) return nullptr;
    const auto& reader = clouds_.at(cloud).reader;
    return reader != nullptr ? reader->client() : nullptr;
}

}  // namespace capstan::autoscaler
