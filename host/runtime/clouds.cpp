#include "runtime/clouds.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::runtime {
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
                       in_quotes(group.group.id.value()) + ": plugin " + owner.value() +
                       " has a group of this id, too, and stands before it",
            .subject = group.group.id.value()};
}

/// One group of each id, the first of those in the order given.
std::shared_ptr<const std::vector<engine::Group>> merge(const std::vector<CloudReading>& readings,
                                                        std::vector<Error>& problems) {
    std::map<NodeGroupId, const engine::Group*> merged;
    for (const CloudReading& reading : readings) {
        problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
        for (const engine::Group& group : *reading.groups) {
            const auto [kept, is_new] = merged.try_emplace(group.group.id, &group);
            if (!is_new) problems.push_back(dispute_of(group, kept->second->cloud));
        }
    }
    if (readings.size() == 1 && ascends(*readings.front().groups)) return readings.front().groups;
    std::vector<engine::Group> out;
    out.reserve(merged.size());
    for (const auto& [id, group] : merged) out.push_back(*group);
    return std::make_shared<const std::vector<engine::Group>>(std::move(out));
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

/// Of a cloud that has not started: what groups it has is not known.
CloudReading absent_reading(const PluginInstanceId& cloud, CloudState& state) {
    const std::string because = "plugin " + cloud.value() + ": it has not started";
    state = {.cloud = cloud, .standing = CloudStanding::failed, .because = because};
    return {.problems = {{.code = ErrorCode::unavailable, .message = because}},
            .unread_because = because};
}

std::size_t count_problems(const std::vector<CloudReading>& readings) {
    std::size_t out = 0;
    for (const CloudReading& reading : readings) out += reading.problems.size();
    return out;
}

}  // namespace

Result<std::shared_ptr<Clouds>> Clouds::make(const Pipeline& pipeline, const PluginHost& host,
                                             const ChangeGate& gate, Missing missing) {
    const bool has_sources = !pipeline.scale_up.group_sources.empty();
    std::shared_ptr<Clouds> out(new Clouds(pipeline.clouds, has_sources, gate));
    for (const PluginInstanceId& id : pipeline.clouds) {
        CAPSTAN_TRY(auto instance, find_instance(host, id, missing));
        if (instance != nullptr) CAPSTAN_CHECK(out->join(std::move(instance)));
    }
    return out;
}

Result<void> Clouds::join(std::shared_ptr<PluginInstance> instance) {
    const auto at = std::ranges::find(ids_, instance->context().identity().id);
    if (at == ids_.end()) return {};
    CAPSTAN_TRY(auto client, CloudClient::of(std::move(instance), gate_));
    auto reader = std::make_shared<CloudReader>(std::move(client), asks_machine_types_);
    const std::lock_guard lock(mutex_);
    auto& place = readers_[static_cast<std::size_t>(at - ids_.begin())];
    if (place == nullptr) place = std::move(reader);
    return {};
}

std::vector<std::shared_ptr<PluginInstance>> Clouds::instances() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<PluginInstance>> out;
    for (const auto& reader : readers_)
        if (reader != nullptr) out.push_back(reader->client()->instance());
    return out;
}

RefreshPatience patience_of(Duration scan_interval) noexcept {
    using std::chrono::seconds;
    const Duration silent_after =
        std::max<Duration>(seconds(5), std::min<Duration>(3 * scan_interval, seconds(15)));
    return {.silent_after = silent_after,
            .silent_again_after = std::min(silent_after, scan_interval / 2),
            .late_answer_age = silent_after + scan_interval};
}

std::map<PluginInstanceId, Error> CloudsView::failures() const {
    std::map<PluginInstanceId, Error> out;
    for (const CloudState& state : states)
        if (state.failure) out.emplace(state.cloud, *state.failure);
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

void Clouds::ask(PluginHost& host, const Resting& resting) {
    const Duration now = host.loop().monotonic();
    const Time wall = host.loop().clock()->wall();
    std::vector<std::pair<std::size_t, std::shared_ptr<CloudReader>>> asked;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t cloud = 0; cloud < ids_.size(); ++cloud) {
            CloudAnswers& answers = answers_[cloud];
            const bool is_answered =
                patience_ && answers.has_unused(now - patience_->late_answer_age);
            if (readers_[cloud] == nullptr || resting.contains(ids_[cloud]) ||
                answers.is_under_way() || is_answered)
                continue;
            answers.begin(now, wall);
            asked.emplace_back(cloud, readers_[cloud]);
        }
    }
    for (const auto& [cloud, reader] : asked)
        reader->read([self = shared_from_this(), cloud = cloud,
                      clock = host.loop().clock()](CloudReading reading) {
            self->take(cloud, std::move(reading), clock->monotonic(), clock->wall());
        });
}

void Clouds::take(std::size_t cloud, CloudReading reading, Duration now, Time wall) {
    std::function<void()> waiting;
    std::function<void()> on_late;
    {
        const std::lock_guard lock(mutex_);
        ++ended_;
        answers_[cloud].end(std::move(reading), now, wall,
                            patience_ ? std::optional(patience_->silent_after) : std::nullopt);
        waiting = std::exchange(waiting_, nullptr);
        if (answers_[cloud].was_given_up()) on_late = on_late_;
    }
    if (waiting) waiting();
    if (on_late) on_late();
}

/// When the next cloud that is waited for becomes a silent one; nothing: none is waited for.
std::optional<Duration> Clouds::next_deadline(Duration now) const {
    std::optional<Duration> out;
    for (const CloudAnswers& answers : answers_) {
        if (!answers.is_under_way()) continue;
        Duration deadline = answers.began() + answer_patience;
        if (patience_)
            deadline = answers.began() + (answers.is_slow() ? patience_->silent_again_after
                                                            : patience_->silent_after);
        if (deadline > now) out = std::min(out.value_or(deadline), deadline);
    }
    return out;
}

/// Until all have answered that are waited for.
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

/// Until a call has ended that had not when `seen` of them had, or until the deadline.
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

CloudsView Clouds::refresh_now(PluginHost& host, const Resting& resting) {
    ask(host, resting);
    await(host);
    const std::lock_guard lock(mutex_);
    std::vector<CloudReading> readings;
    std::vector<CloudState> states;
    for (std::size_t cloud = 0; cloud < ids_.size(); ++cloud) {
        CloudState& state = states.emplace_back();
        if (readers_[cloud] == nullptr) {
            readings.push_back(absent_reading(ids_[cloud], state));
            continue;
        }
        const auto rest = resting.find(ids_[cloud]);
        readings.push_back(answers_[cloud].reading_for_view(
            ids_[cloud], rest == resting.end() ? nullptr : &rest->second, state));
    }
    CloudsView out = merged(std::move(readings));
    out.states = std::move(states);
    view_ = out;
    return out;
}

/// With the lists of the view before, where they would be made of the same ones.
CloudsView Clouds::merged(std::vector<CloudReading> readings) {
    const auto are_same = [&](auto list) {
        return std::ranges::equal(readings, merged_, {}, list, list);
    };
    CloudsView out;
    if (!is_disputed_ && are_same(&CloudReading::groups)) {
        out.groups = view_.groups;
        for (const CloudReading& reading : readings)
            std::ranges::copy(reading.problems, std::back_inserter(out.problems));
    } else {
        out.groups = merge(readings, out.problems);
        is_disputed_ = out.problems.size() > count_problems(readings);
    }
    for (std::size_t cloud = 0; cloud < readings.size(); ++cloud)
        if (!readings[cloud].unread_because.empty())
            out.unread.emplace(ids_[cloud], readings[cloud].unread_because);
    out.machines =
        are_same(&CloudReading::machines) ? view_.machines : read_machines(readings, ids_);
    merged_ = std::move(readings);
    return out;
}

CloudsView Clouds::view() const {
    const std::lock_guard lock(mutex_);
    return view_;
}

std::shared_ptr<CloudClient> Clouds::find(const PluginInstanceId& cloud) const {
    const auto at = std::ranges::find(ids_, cloud);
    if (at == ids_.end()) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto& reader = readers_[static_cast<std::size_t>(at - ids_.begin())];
    return reader != nullptr ? reader->client() : nullptr;
}

}  // namespace capstan::runtime
