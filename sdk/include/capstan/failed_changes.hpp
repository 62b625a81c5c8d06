/// Changes that a cloud accepted and that failed later.
///
/// A machine that was never created is in no list, so the host would wait for it until it is
/// overdue. The plugin knows of the failure as soon as the cloud's operation ends. It reports the
/// machine as failed for a while, and the next pass backs the group off and uses the next option:
///
///     FailedChanges failed_{host};                           // a member
///     failed_.add(group, std::move(machines), error);        // once the operation has failed
///     failed_.update();                                      // in each refresh that succeeds
///     failed_.show_in(view);
///     if (failed_.forget(machine)) continue;                 // in `remove`: nothing to remove
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/sentence.hpp>
#include <capstan/wake.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] Each `add` logs one warning and wakes the host. A failure is reported for a minute, and
/// in at least two refreshes, so that the host sees it.
class FailedChanges {
public:
    explicit FailedChanges(const Host& host) : host_(host) {}

    /// Machines that will not be created. They are reported as failed unless the cloud lists them.
    /// An id is the providerID that the node would have had, or any unique text.
    void add(const NodeGroupId& group, std::vector<Machine> machines, const Error& error) {
        if (machines.empty()) return;
        for (Machine& machine : machines) {
            machine.group = group;
            machine.state = MachineState::failed;
            machine.error = error;
            const MachineId id = machine.id;
            entries_.insert_or_assign(id, Entry{.machine = std::move(machine), .since = now()});
        }
        report("group " + in_quotes(group.value()) + ": accepted increase failed", error);
    }
    /// The same, for machines that have no ids before they exist.
    void add(const NodeGroupId& group, int count, const Error& error) {
        std::vector<Machine> machines;
        for (int i = 0; i < count; ++i) machines.push_back({.id = next_id(group)});
        add(group, std::move(machines), error);
    }
    /// Machines of the group whose removal failed. They are reported with the error while the
    /// cloud lists them.
    void add_removals(const NodeGroupId& group, const std::vector<MachineId>& machines,
                      const Error& error) {
        if (machines.empty()) return;
        for (const MachineId& id : machines) {
            Machine machine{.id = id, .group = group, .error = error};
            entries_.insert_or_assign(
                id, Entry{.machine = std::move(machine), .since = now(), .is_removal = true});
        }
        report("group " + in_quotes(group.value()) + ": accepted removal failed", error);
    }
    /// A group that was not created. It is reported with a target of 0 and one failed machine.
    void add_group(NodeGroup group, const Error& error) {
        group.target = 0;
        group.autoprovisioned = false;  // so that the host does not delete it
        Machine machine{.id = next_id(group.id),
                        .group = group.id,
                        .state = MachineState::failed,
                        .error = error};
        report("group " + in_quotes(group.id.value()) + ": creation failed", error);
        const MachineId id = machine.id;
        entries_.insert_or_assign(
            id,
            Entry{.machine = std::move(machine), .since = now(), .new_group = std::move(group)});
    }

    /// Call once in each refresh that succeeds, before `show_in`. Drops failures that have been
    /// reported for long enough.
    void update() {
        const auto is_over = [&](const auto& entry) {
            return entry.second.refreshes >= 2 && now() - entry.second.since >= shown_for;
        };
        if (std::erase_if(entries_, is_over) > 0) ++version_;
        for (auto& [id, entry] : entries_) ++entry.refreshes;
    }
    void show_in(CloudView& view) const {
        if (entries_.empty()) return;
        std::set<MachineId> listed;
        for (Machine& machine : view.machines) {
            listed.insert(machine.id);
            const auto at = entries_.find(machine.id);
            const bool stays = at != entries_.end() && at->second.is_removal &&
                               machine.state != MachineState::deleting;
            if (stays && !machine.error) machine.error = at->second.machine.error;
        }
        std::set<NodeGroupId> groups;
        for (const NodeGroup& group : view.groups) groups.insert(group.id);
        for (const auto& [id, entry] : entries_) {
            if (entry.is_removal || listed.contains(id)) continue;
            const bool has_group = groups.contains(entry.machine.group);
            if (has_group == entry.new_group.has_value()) continue;
            if (entry.new_group) view.groups.push_back(*entry.new_group);
            view.machines.push_back(entry.machine);
        }
    }
    /// Call for each machine to be removed. True: the machine was never created, so the cloud has
    /// nothing to remove.
    bool forget(const MachineId& machine) {
        const auto at = entries_.find(machine);
        if (at == entries_.end()) return false;
        const bool is_removal = at->second.is_removal;
        entries_.erase(at);
        ++version_;
        return !is_removal;
    }
    /// A number that changes whenever the output of `show_in` may have changed.
    std::uint64_t version() const noexcept { return version_; }

private:
    struct Entry {
        Machine machine{};
        Duration since{};   ///< by Host::monotonic
        int refreshes = 0;  ///< number of refreshes that reported it
        bool is_removal = false;
        std::optional<NodeGroup> new_group{};  ///< the group that was not created
    };
    static constexpr Duration shown_for = std::chrono::minutes(1);

    Duration now() const { return host_.monotonic(); }
    MachineId next_id(const NodeGroupId& group) {
        return MachineId(group.value() + "/failed-" + std::to_string(++last_number_));
    }
    void report(const std::string& what, const Error& error) {
        ++version_;
        host_.warn(what + ": " + error.message);
        // Without the service the host sees the failure in the next pass.
        std::ignore = wake(host_, what);
    }

    const Host host_;
    std::map<MachineId, Entry> entries_{};
    std::uint64_t version_ = 0;
    int last_number_ = 0;
};

CAPSTAN_NAMESPACE_END
