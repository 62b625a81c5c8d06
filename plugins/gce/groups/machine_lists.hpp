/// Reads the machines of groups, where they may have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "group_lists.hpp"
#include "stock_outs.hpp"

namespace capstan::gce {

/// [strand] listManagedInstances costs a call for each group, so it is called only where it is
/// needed: for groups in motion, for groups whose row has changed, and for groups that were never
/// read. The list of a group at rest is renewed once in `refresh_every`, a few groups in each
/// update. If more than 16 groups at rest are due at once, instances.list of their zones is called
/// first. A group needs no call of its own if the running instances with its base name are as many
/// as its target size.
class MachineLists {
public:
    struct Config {
        Duration refresh_every = std::chrono::hours(1);
        std::size_t parallel_calls = 8;
    };
    MachineLists(const Host& host, ManagedGroupsApi& api, GroupLists& groups, Config config);

    /// Call after an update of the groups. If a list fails, the machines stay as they were and the
    /// group is marked unreadable.
    Task<void> update();
    /// Reads the machines of one group now.
    Task<void> read(std::string id);

private:
    using ZoneKey = std::pair<std::string, std::string>;  ///< project, zone
    struct Due {
        std::vector<std::string> moving{}, resting{};
    };
    using Instances = std::map<std::string, std::vector<const ListedInstance*>>;
    struct ZoneList {
        std::vector<ListedInstance> all{};
        Instances by_base{};  ///< by base name
    };
    Due find_due();
    std::size_t old_lists_per_update();
    /// Reads the machines of groups from lists of zones. Returns the groups for which that is not
    /// enough.
    Task<std::vector<std::string>> settle(std::vector<std::string> ids);
    Task<std::map<ZoneKey, ZoneList>> list_zones(std::vector<ZoneKey> zones);
    std::optional<std::vector<GroupMachine>> find_machines(
        const ListedGroup& group, const std::map<ZoneKey, ZoneList>& zones) const;
    Task<void> read_all(std::vector<std::string> ids);
    Task<bool> read_one(std::string id);
    std::vector<GroupMachine> judged(const std::string& id, const ListedGroup& group,
                                     const std::vector<ManagedInstance>& instances);

    const Host host_;
    ManagedGroupsApi& api_;
    GroupLists& groups_;
    const Config config_;
    StockOuts stock_outs_;
    StandingWarnings warnings_;
    std::optional<Duration> updated_at_{};
};

}  // namespace capstan::gce
