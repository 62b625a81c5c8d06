#include "runtime/clouds.hpp"

#include <algorithm>
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
CloudReading absent_reading(const PluginInstanceId& cloud) {
    const std::string because = "plugin " + cloud.value() + ": it has not started";
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

void Clouds::refresh(Done done) {
    if (ids_.empty()) return done(view());
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(done));
        if (open_ > 0) return;
        open_ = ids_.size();
        readings_.assign(ids_.size(), {});
    }
    read_all();
}

void Clouds::read_all() {
    const auto readers = [this] {
        const std::lock_guard lock(mutex_);
        return readers_;
    }();
    for (std::size_t cloud = 0; cloud < readers.size(); ++cloud) {
        if (readers[cloud] == nullptr) {
            take(cloud, absent_reading(ids_[cloud]));
            continue;
        }
        readers[cloud]->read([self = shared_from_this(), cloud](CloudReading reading) {
            self->take(cloud, std::move(reading));
        });
    }
}

void Clouds::take(std::size_t cloud, CloudReading reading) {
    std::vector<Done> waiting;
    CloudsView view;
    {
        const std::lock_guard lock(mutex_);
        readings_[cloud] = std::move(reading);
        if (--open_ > 0) return;
        view = merged(std::exchange(readings_, {}));
        view_ = view;
        waiting = std::exchange(waiting_, {});
    }
    for (const Done& done : waiting) done(view);
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

CloudsView Clouds::refresh_now(PluginHost& host) {
    const Result<CloudsView> view = host.wait<CloudsView>(
        [this](const PluginHost::Done<CloudsView>& done) {
            refresh([done](CloudsView refreshed) { done(std::move(refreshed)); });
        },
        answer_patience);
    if (view) return *view;
    CloudsView last = this->view();
    last.problems.push_back(within("clouds: refresh", view.error()));
    return last;
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
