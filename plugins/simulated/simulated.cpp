#include "simulated.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/wake.hpp>

#include "made_groups.hpp"

namespace capstan::simulated {
namespace {

/// The value, or a Failure with a message that begins with the group's name.
template <class T>
T demand(const NodeGroupId& group, Result<T> result) {
    if (!result) throw Failure(within("group " + group.value(), std::move(result).error()));
    return std::move(*result);
}

std::vector<std::uint64_t> versions_of(const std::vector<const Group*>& groups) {
    std::vector<std::uint64_t> out;
    out.reserve(groups.size());
    for (const Group* const group : groups) out.push_back(group->version());
    return out;
}

/// The lists omit machines whose number is a multiple of `omits`; 0: they are complete.
CloudView view_of(const std::vector<const Group*>& groups, int omits) {
    CloudView out;
    std::size_t machines = 0;
    for (const Group* const group : groups) machines += group->machine_count();
    out.machines.reserve(machines);
    for (const Group* const group : groups) {
        out.groups.push_back(group->group());
        group->append_machines(out.machines);
    }
    if (omits > 0) {
        std::erase_if(out.machines, [&](const capstan::Machine& machine) {
            return number_of(machine.id) % omits == 0;
        });
    }
    return out;
}

}  // namespace

Simulated::Simulated(Host host, Config config)
    : host_(host),
      began_(host_.now()),
      began_count_(host_.monotonic()),
      start_(began_),
      config_(std::move(config)),
      nodes_(host_),
      targets_(host_) {
    for (const GroupConfig& group : config_.groups)
        groups_.emplace(group.id.value(), Group(group, start_, start_));
    begin_histories();
}

void Simulated::reconfigure(Config config) {
    const std::vector<GroupConfig> groups = all_groups(config);
    std::erase_if(groups_, [&](const auto& known) {
        const bool stays = std::ranges::any_of(
            groups, [&](const GroupConfig& group) { return group.id.value() == known.first; });
        if (!stays && known.second.machine_count() > 0)
            removed_groups_.insert_or_assign(known.first, known.second.record());
        return !stays;
    });
    std::erase_if(made_plans_, [&](const auto& entry) { return !groups_.contains(entry.first); });
    for (const GroupConfig& group : groups) {
        const auto known = groups_.find(group.id.value());
        if (known == groups_.end()) {
            groups_.emplace(group.id.value(), begin_group(group, now()));
        } else {
            known->second.reconfigure(group);
            const auto past = histories_.find(group.id.value());
            if (past != histories_.end()) past->second.reconfigure(group);
        }
    }
    config_ = std::move(config);
    last_view_.reset();
    begin_histories();
}

void Simulated::begin_histories() {
    if (config_.list_lag <= Duration(0)) return histories_.clear();
    std::erase_if(histories_, [&](const auto& past) { return !groups_.contains(past.first); });
    for (const auto& [id, group] : groups_) histories_.try_emplace(id, group, now());
}

void Simulated::record_history(const Group& group) {
    const auto past = histories_.find(group.config().id.value());
    if (past != histories_.end()) past->second.note(group, now());
}

std::vector<const Group*> Simulated::listed_groups() {
    std::vector<const Group*> out;
    out.reserve(groups_.size());
    for (const auto& [id, group] : groups_) {
        const auto past = histories_.find(id);
        out.push_back(past == histories_.end() ? &group
                                               : &past->second.at(now() - config_.list_lag));
    }
    return out;
}

/// Begins a group, with its earlier machines if it was removed from the settings before.
Group Simulated::begin_group(const GroupConfig& config, Time moment) {
    auto left = removed_groups_.extract(config.id.value());
    if (left.empty()) return {config, start_, moment, last_number_taken(config.id)};
    return {config, start_, moment, std::move(left.mapped())};
}

/// The highest machine number that removed groups with the same node names have used: nodes of
/// "Web" have the same names as nodes of "web".
int Simulated::last_number_taken(const NodeGroupId& id) const {
    int out = 0;
    for (const auto& [left, group] : removed_groups_)
        if (node_name(NodeGroupId(left), 1) == node_name(id, 1))
            out = std::max(out, group.last_number);
    return out;
}

Task<void> Simulated::start() {
    const auto* exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
    std::set<Duration> moments;
    for (const GroupConfig& group : config_.groups)
        for (const Change& change : group.changes) moments.insert(change.at);
    if (config_.notices && exec != nullptr)
        for (const Duration moment : moments)
            exec->after(host_.raw(), moment.count(), &Simulated::announce_change, this, nullptr);
    co_return;
}

void Simulated::announce_change(void* self, capstan_status status) noexcept {
    if (status == CAPSTAN_OK)
        std::ignore = wake(static_cast<Simulated*>(self)->host_, "a change of a group");
}

Task<void> Simulated::await_latency() {
    co_await sleep_for(host_, config_.latency);
    if (config_.register_nodes) co_await restore();
    for (auto& [id, group] : groups_) group.reach(now());
    if (config_.failure) throw Failure(*config_.failure);
}

Task<void> Simulated::await_answer() {
    co_await sleep_for(host_, config_.answer_latency);
    if (config_.answer_failure) throw Failure(*config_.answer_failure);
}

Group& Simulated::group(const NodeGroupId& id) {
    const auto at = groups_.find(id.value());
    if (at != groups_.end()) return at->second;
    throw Failure(ErrorCode::not_found,
                  "group " + in_quotes(id.value()) + ": not found in the simulated cloud");
}

Task<SharedCloudView> Simulated::refresh() {
    co_await await_latency();
    if (config_.register_nodes) co_await register_nodes();
    const std::vector<const Group*> listed = listed_groups();
    const std::vector<std::uint64_t> versions = versions_of(listed);
    if (!last_view_ || last_view_->first != versions) {
        CloudView view = view_of(listed, config_.list_omits);
        if (config_.list_lag > Duration(0)) view.target_lag = config_.list_lag + config_.latency;
        last_view_.emplace(versions, SharedCloudView(std::move(view)));
    }
    co_return last_view_->second;
}

std::vector<std::uint64_t> Simulated::versions() const {
    std::vector<std::uint64_t> out;
    out.reserve(groups_.size());
    for (const auto& [id, group] : groups_) out.push_back(group.version());
    return out;
}

Task<TargetSetter::Current> Simulated::read_target(NodeGroupId id) {
    Group& wanted = group(id);
    wanted.reach(now());
    co_return wanted.current();
}

Task<Resized> Simulated::set_target(NodeGroupId id, int target, bool all_or_nothing) {
    Group& wanted = group(id);
    const Resized answer = demand(id, wanted.resize(target, all_or_nothing));
    record_history(wanted);
    if (config_.register_nodes) save_state();
    co_await await_answer();
    co_return answer;
}

Task<Resized> Simulated::increase(Resize request) {
    co_await await_latency();
    const TargetSetter::Read read = [this, id = request.group] { return read_target(id); };
    const TargetSetter::Set set = [this, id = request.group, all = request.all_or_nothing](
                                      int target) { return set_target(id, target, all); };
    co_return co_await targets_.increase(std::move(request), read, set);
}

Task<Resized> Simulated::decrease_target(Resize request) {
    co_await await_latency();
    const TargetSetter::Read read = [this, id = request.group] { return read_target(id); };
    const TargetSetter::Set set = [this, id = request.group](int target) {
        return set_target(id, target, false);
    };
    co_return co_await targets_.decrease(std::move(request), read, set);
}

Task<Removed> Simulated::remove(Removal request) {
    co_await await_latency();
    if (const Removed* known = removed_.find(request.idempotency_key)) co_return *known;
    Group& wanted = group(request.group);
    Removed answer = demand(request.group, wanted.remove(request));
    record_history(wanted);
    if (config_.register_nodes) save_state();
    removed_.keep(request.idempotency_key, answer);
    co_await await_answer();
    co_return answer;
}

Task<NodeTemplate> Simulated::describe(NodeGroupId id) {
    co_await await_latency();
    co_return group(id).config().node;
}

const GroupConfig* Simulated::find_config(std::string_view id) const {
    const auto at = groups_.find(id);
    return at != groups_.end() ? &at->second.config() : nullptr;
}

}  // namespace capstan::simulated
