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
std::shared_ptr<const Machines> read_machines(
    const std::vector<CloudReading>& readings,
    const std::vector<std::shared_ptr<PluginInstance>>& clouds) {
    Machines out;
    for (std::size_t cloud = 0; cloud < readings.size(); ++cloud) {
        if (readings[cloud].machines->empty()) continue;
        out.push_back({clouds[cloud]->context().identity().id, *readings[cloud].machines});
    }
    return out.empty() ? nullptr : std::make_shared<const Machines>(std::move(out));
}

std::size_t count_problems(const std::vector<CloudReading>& readings) {
    std::size_t out = 0;
    for (const CloudReading& reading : readings) out += reading.problems.size();
    return out;
}

}  // namespace

Result<std::shared_ptr<Clouds>> Clouds::make(const Pipeline& pipeline, const PluginHost& host,
                                             const ChangeGate& gate) {
    const bool has_sources = !pipeline.scale_up.group_sources.empty();
    std::vector<std::shared_ptr<CloudReader>> readers;
    for (const PluginInstanceId& id : pipeline.clouds) {
        auto instance = host.find(id);
        if (!instance)
            return fail(ErrorCode::internal, "pipeline: there is no instance " + id.value());
        CAPSTAN_TRY(auto client, CloudClient::of(std::move(instance), gate));
        readers.push_back(std::make_shared<CloudReader>(std::move(client), has_sources));
    }
    return std::shared_ptr<Clouds>(new Clouds(std::move(readers)));
}

Clouds::Clouds(std::vector<std::shared_ptr<CloudReader>> readers) : readers_(std::move(readers)) {
    for (const auto& reader : readers_) instances_.push_back(reader->client()->instance());
}

void Clouds::refresh(Done done) {
    if (readers_.empty()) return done(view());
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(done));
        if (open_ > 0) return;
        open_ = readers_.size();
        readings_.assign(readers_.size(), {});
    }
    read_all();
}

void Clouds::read_all() {
    for (std::size_t cloud = 0; cloud < readers_.size(); ++cloud) {
        readers_[cloud]->read([self = shared_from_this(), cloud](CloudReading reading) {
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
            out.unread.emplace(instances_[cloud]->context().identity().id,
                               readings[cloud].unread_because);
    out.machines =
        are_same(&CloudReading::machines) ? view_.machines : read_machines(readings, instances_);
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
    const auto at = std::ranges::find(instances_, cloud.value(),
                                      [](const auto& instance) { return instance->id(); });
    if (at == instances_.end()) return nullptr;
    return readers_[static_cast<std::size_t>(at - instances_.begin())]->client();
}

}  // namespace capstan::runtime
