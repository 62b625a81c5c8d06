/// Caches the template, options and price of each group.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "cloud_api.hpp"
#include "config.hpp"

namespace capstan::external_grpc {

struct GroupDetails {
    Result<NodeTemplate> node = fail(ErrorCode::not_found, "its template has not been read yet");
    GroupOptions options{};
    std::optional<double> price_per_hour{};
    Duration read_at{};  ///< by the host's monotonic clock
};

/// A call that the server does not implement is not made again until the next start. If a call for
/// options or price fails, the earlier value stays. If the call for the template fails, the
/// template is that error until a later call succeeds. [strand]
class GroupDetailsCache {
public:
    GroupDetailsCache(Host host, const CloudApi& api, const CloudConfig& config);

    /// Reads the details of the group if they are due. Does not fail.
    Task<void> update(NodeGroupId group);
    /// Drops the details of all other groups.
    void keep(const std::vector<NodeGroup>& groups);
    const GroupDetails* find(const NodeGroupId& group) const;

private:
    using ByGroup = std::map<NodeGroupId, GroupDetails>;

    bool is_due(const NodeGroupId& group) const;
    /// The result of the call; absent if it failed (which is logged) or is not implemented.
    template <class T>
    Task<std::optional<T>> optional_call(std::string name, Task<T> call);
    Task<void> read_template(NodeGroupId group);

    const Host host_;
    const CloudApi& api_;
    const CloudConfig& config_;
    std::set<std::string> missing_calls_{};
    ByGroup known_{};
};

}  // namespace capstan::external_grpc
