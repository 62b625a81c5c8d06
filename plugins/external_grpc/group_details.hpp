/// What a group's nodes would be, its options and its price: read now and then, told in between.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "cloud_api.hpp"
#include "config.hpp"

namespace capstan::external_grpc {

struct GroupDetails {
    Result<NodeTemplate> node = fail(ErrorCode::not_found, "its template was not read yet");
    GroupOptions options{};
    std::optional<double> price_per_hour{};
    Duration read_at{};  ///< by the host's monotonic clock
};

/// A call that the server does not have is not made again until the next start. One that failed
/// leaves what was known before; a template that could not be read is an error until it can be.
/// [strand]
class AllDetails {
public:
    AllDetails(Host host, const CloudApi& api, const CloudConfig& config);

    /// Asks for what is too old. Does not fail.
    Task<void> update(NodeGroupId group);
    /// From now on these are the groups; what is known of others is forgotten.
    void keep(const std::vector<NodeGroup>& groups);
    const GroupDetails* find(const NodeGroupId& group) const;

private:
    using ByGroup = std::map<NodeGroupId, GroupDetails>;

    bool is_due(const NodeGroupId& group) const;
    /// The call's value; nothing where it failed, which is logged, or is not there.
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
