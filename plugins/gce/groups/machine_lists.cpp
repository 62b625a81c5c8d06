#include "machine_lists.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

/// With more due groups, listing whole zones is cheaper than a call for each group.
constexpr std::size_t single_lists_max = 16;

/// "web" of "web-x1y2", as Google names instances; empty if the name has another form.
std::string base_of(const std::string& name) {
    constexpr std::size_t suffix = 5;
    if (name.size() <= suffix || name[name.size() - suffix] != '-') return {};
    return name.substr(0, name.size() - suffix);
}

std::vector<std::string> zones_of_group(const ManagedGroup& row) {
    if (row.link.place.scope == Scope::zone) return {row.link.place.name};
    return row.zones;
}

GroupMachine machine_of(const ListedInstance& instance, bool has_standby) {
    GroupMachine out{.link = instance.link, .id = instance.id};
    out.status = read_machine_status("NONE", instance.status, has_standby);
    out.machine_type = instance.machine_type;
    out.launched = instance.created;
    out.spot = instance.is_spot;
    return out;
}

/// The two kinds of lists have different fields. Fields that this list lacks are taken from the
/// known machine if it is the same instance.
void keep_known(GroupMachine& machine, const std::vector<GroupMachine>& known) {
    const auto at = std::lower_bound(
        known.begin(), known.end(), machine.link,
        [](const GroupMachine& each, const ResourceLink& link) { return each.link < link; });
    if (at == known.end() || at->link != machine.link || at->id != machine.id) return;
    if (machine.machine_type.empty()) machine.machine_type = at->machine_type;
    if (machine.template_link.empty()) machine.template_link = at->template_link;
    if (!machine.launched) machine.launched = at->launched;
    if (!machine.spot) machine.spot = at->spot;
}

}  // namespace

MachineLists::MachineLists(const Host& host, ManagedGroupsApi& api, GroupLists& groups,
                           Config config)
    : host_(host),
      api_(api),
      groups_(groups),
      config_(config),
      stock_outs_(host),
      warnings_(host) {}

Task<void> MachineLists::update() {
    stock_outs_.forget_old();
    Due due = find_due();
    if (due.resting.size() > single_lists_max)
        due.resting = co_await settle(std::move(due.resting));
    due.moving.insert(due.moving.end(), due.resting.begin(), due.resting.end());
    co_await read_all(std::move(due.moving));
}

MachineLists::Due MachineLists::find_due() {
    Due out;
    std::vector<std::pair<Duration, std::string>> old;  // by when they were read last
    for (const auto& [id, group] : groups_.groups()) {
        if (!group.was_read || group.unreadable || !group.takes_part()) continue;
        const MachineList& list = group.list;
        const bool is_settled = list.asked_at != 0 && group.changed_at <= list.asked_at;
        const bool is_new = list.asked_at == 0 && group.changed_at == 0;
        const bool has_new_row = is_settled && list.row != group.row;
        if ((is_new || has_new_row) && is_at_rest(group.row)) {
            out.resting.push_back(id);
        } else if (group.is_in_motion()) {
            out.moving.push_back(id);
        } else {
            const auto age = host_.monotonic() - list.whole_at.value_or(Duration::zero());
            const bool is_old = !list.whole_at || age >= config_.refresh_every;
            if (is_old) old.emplace_back(list.whole_at.value_or(Duration::min()), id);
        }
    }
    std::sort(old.begin(), old.end());
    const std::size_t most = std::min(old.size(), old_lists_per_update());
    for (std::size_t i = 0; i < most; ++i) out.resting.push_back(std::move(old[i].second));
    return out;
}

/// The number of old lists to renew in this update: enough to renew all of them within
/// `refresh_every`, and at least one.
std::size_t MachineLists::old_lists_per_update() {
    const Duration now = host_.monotonic();
    const Duration since = updated_at_ ? now - *updated_at_ : Duration::zero();
    updated_at_ = now;
    const std::size_t all = groups_.groups().size();
    if (config_.refresh_every <= Duration::zero()) return all;
    const double share =
        static_cast<double>(since.count()) / static_cast<double>(config_.refresh_every.count());
    const double count = std::ceil(static_cast<double>(all) * std::min(share, 1.0));
    return std::max<std::size_t>(1, static_cast<std::size_t>(count));
}

Task<std::vector<std::string>> MachineLists::settle(std::vector<std::string> ids) {
    std::set<ZoneKey> wanted;
    for (const std::string& id : ids) {
        const ManagedGroup& row = groups_.groups().at(id).row;
        for (const std::string& zone : zones_of_group(row)) wanted.emplace(row.link.project, zone);
    }
    const std::uint64_t asked_at = groups_.moment();
    const auto zones = co_await list_zones({wanted.begin(), wanted.end()});
    // If several groups in a zone share a base name, names do not distinguish their instances.
    std::map<std::tuple<std::string, std::string, std::string>, int> claims;
    for (const auto& [id, group] : groups_.groups()) {
        for (const std::string& zone : zones_of_group(group.row))
            ++claims[{group.row.link.project, zone, group.row.base_name}];
    }
    std::vector<std::string> left;
    for (std::string& id : ids) {
        const auto at = groups_.groups().find(id);
        if (at == groups_.groups().end()) continue;
        const ManagedGroup row = at->second.row;
        const std::vector<std::string> in = zones_of_group(row);
        const bool is_alone = std::all_of(in.begin(), in.end(), [&](const std::string& zone) {
            return claims[{row.link.project, zone, row.base_name}] == 1;
        });
        auto machines = is_alone ? find_machines(at->second, zones) : std::nullopt;
        if (machines) {
            groups_.store_machines(id, *std::move(machines), row, asked_at, false);
        } else {
            left.push_back(std::move(id));
        }
    }
    co_return left;
}

/// The lists of the zones that could be listed.
Task<std::map<MachineLists::ZoneKey, MachineLists::ZoneList>> MachineLists::list_zones(
    std::vector<ZoneKey> zones) {
    std::vector<Task<std::vector<ListedInstance>>> calls;
    for (const auto& [project, zone] : zones) calls.push_back(api_.list_zone(project, zone));
    auto answers = co_await gather_results(std::move(calls), config_.parallel_calls);
    std::map<ZoneKey, ZoneList> out;
    std::vector<std::string> failures;
    for (std::size_t i = 0; i < zones.size(); ++i) {
        if (!answers[i]) {
            failures.push_back("instances of " + zones[i].second +
                               " cannot be listed at once; listing them group by group: " +
                               answers[i].error().message);
            continue;
        }
        ZoneList& list = out[zones[i]];
        list.all = *std::move(answers[i]);
        for (const ListedInstance& instance : list.all)
            list.by_base[base_of(instance.link.name)].push_back(&instance);
    }
    warnings_.set("zones", std::move(failures));
    co_return out;
}

/// nullopt if the zones do not show exactly the group's target size, or if a member does not run.
std::optional<std::vector<GroupMachine>> MachineLists::find_machines(
    const ListedGroup& group, const std::map<ZoneKey, ZoneList>& zones) const {
    const ManagedGroup& row = group.row;
    std::vector<GroupMachine> out;
    int members = 0, non_members = 0;
    for (const std::string& zone : zones_of_group(row)) {
        const auto listed = zones.find({row.link.project, zone});
        if (listed == zones.end()) return std::nullopt;
        const auto own = listed->second.by_base.find(row.base_name);
        if (own == listed->second.by_base.end()) continue;
        for (const ListedInstance* const instance : own->second) {
            GroupMachine& machine = out.emplace_back(machine_of(*instance, has_standby(row)));
            const bool is_member = machine.status.membership == Membership::member;
            if (is_member && instance->status != "RUNNING") return std::nullopt;
            ++(is_member ? members : non_members);
            keep_known(machine, group.list.machines);
        }
    }
    const bool is_whole =
        members == row.target_size && non_members == row.target_suspended + row.target_stopped;
    if (!is_whole) return std::nullopt;
    return out;
}

Task<void> MachineLists::read_all(std::vector<std::string> ids) {
    std::vector<Task<bool>> calls;
    for (const std::string& id : ids) calls.push_back(read_one(id));
    auto answers = co_await gather_results(std::move(calls), config_.parallel_calls);
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!answers[i]) groups_.store_machine_error(ids[i], answers[i].error());
}

Task<void> MachineLists::read(std::string id) {
    const Result<bool> done = co_await as_result(read_one(id));
    if (!done) throw Failure(done.error());
}

Task<bool> MachineLists::read_one(std::string id) {
    const auto at = groups_.groups().find(id);
    if (at == groups_.groups().end()) co_return false;
    const ManagedGroup row = at->second.row;
    const std::uint64_t asked_at = groups_.moment();
    const std::vector<ManagedInstance> instances = co_await api_.list_instances(row.link);
    const auto now = groups_.groups().find(id);
    if (now == groups_.groups().end()) co_return false;
    groups_.store_machines(id, judged(id, now->second, instances), row, asked_at, true);
    co_return true;
}

/// The faults of all instances are read first and judged afterwards: whether a stock-out backs the
/// group off depends on the stock-outs in its other zones. An instance without a name has not been
/// created yet and is not a machine.
std::vector<GroupMachine> MachineLists::judged(const std::string& id, const ListedGroup& group,
                                               const std::vector<ManagedInstance>& instances) {
    std::vector<GroupMachine> out;
    for (const ManagedInstance& instance : instances) {
        const MachineStatus status =
            read_machine_status(instance.action, instance.status, has_standby(group.row));
        GroupMachine machine{.link = instance.link, .id = instance.id, .status = status};
        machine.machine_type = instance.machine_type;
        machine.template_link = instance.template_link;
        // A running instance has been made, whatever an earlier attempt came to.
        if (status.state == MachineState::creating && instance.status != "RUNNING")
            machine.fault = find_fault(instance);
        if (machine.fault) {
            stock_outs_.note(id, group.row, zone_of_failure(instance.link, machine.fault->message),
                             *machine.fault);
        }
        keep_known(machine, group.list.machines);
        if (!instance.link.name.empty()) out.push_back(std::move(machine));
    }
    for (GroupMachine& machine : out) {
        if (!machine.fault) continue;
        machine.fault = stock_outs_.judge(*std::move(machine.fault), id, group.row);
        // The group goes on trying to make a requested machine. A machine that is to be made in
        // another zone is failed, so that the host deletes it here.
        const bool is_elsewhere = machine.fault->code == ErrorCode::conflict;
        machine.status.state = is_elsewhere ? MachineState::failed : MachineState::requested;
    }
    return out;
}

}  // namespace capstan::gce
