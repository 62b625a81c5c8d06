/// The machines of groups, read where they may have changed.
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

/// [strand] A group is asked for its machines where it is in motion, where its row has changed, and
/// where it was never asked. At rest its list is read anew once in `refresh_every`, a few groups in
/// each update. Where more than 16 groups at rest are due at once, the instances of their zones are
/// listed first: a group whose instances, by the beginning of their names, are as many as its
/// target needs no call of its own.
class MachineLists {
public:
    struct Config {
        Duration refresh_every = std::chrono::hours(1);
        std::size_t parallel_calls = 8;
    };
    MachineLists(const Host& host, ManagedGroupsApi& api, GroupLists& groups, Config config);

    /// After an update of the groups. A list that fails leaves its machines as they were, and the
    /// group unreadable.
    Task<void> update();
    /// The machines of one group as they are now.
    Task<void> read(std::string id);

private:
    using ZoneKey = std::pair<std::string, std::string>;  ///< project, zone
    struct Due {
        std::vector<std::string> moving{}, resting{};
    };
    /// Instances of zones by what their names begin with; nothing: that zone cannot be listed.
    using Instances = std::map<std::string, std::vector<const ListedInstance*>>;
    struct ZoneList {
        std::vector<ListedInstance> all{};
        Instances by_base{};
    };
    Due find_due();
    std::size_t old_ones_per_update();
    /// The groups that are not settled by it.
    Task<std::vector<std::string>> settle(std::vector<std::string> ids);
    Task<std::map<ZoneKey, ZoneList>> list_zones(std::vector<ZoneKey> zones);
    std::optional<std::vector<GroupMachine>> find_machines(
        const ListedGroup& group, const std::map<ZoneKey, ZoneList>& zones) const;
    Task<void> read_all(std::vector<std::string> ids);
    Task<bool> read_one(std::string id);
    std::vector<GroupMachine> judged(const std::string& id, const ListedGroup& group,
                                     const std::vector<ManagedInstance>& told);

    const Host host_;
    ManagedGroupsApi& api_;
    GroupLists& groups_;
    const Config config_;
    StockOuts stock_outs_;
    StandingWarnings warnings_;
    std::optional<Duration> updated_at_{};
};

}  // namespace capstan::gce
