/// How nodes are taken together when pods are counted: by the value of a label, each for itself, or
/// all as one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scheduling/node_profiles.hpp"

namespace capstan::engine {

inline constexpr std::int32_t no_domain = -1;

/// The domain of each profile's nodes; no_domain: pods on them are not counted.
using DomainByProfile = std::vector<std::int32_t>;

/// Some of the nodes in their domains. With kubernetes.io/hostname for a key, as without any, each
/// node is a domain of its own, and `domain_of` says merely whether it counts: two nodes of one
/// hostname are two.
struct Lane {
    std::string key{};  ///< empty: no label is needed
    bool per_node = false;
    std::uint32_t domains = 1;  ///< beyond any domain's number
    DomainByProfile domain_of{};
    bool operator==(const Lane&) const = default;
};

using LaneId = std::uint32_t;

/// [engine thread]
class Topologies {
public:
    Topologies() = default;
    /// Outlived by the profiles.
    explicit Topologies(const NodeProfiles& profiles) : profiles_(&profiles) {}

    /// Nodes that have the label.
    const DomainByProfile& domains_of(std::string_view key);
    LaneId labelled(std::string_view key);
    /// Those among them that `domain_of` leaves a domain.
    LaneId add(std::string_view key, DomainByProfile domain_of);
    LaneId each_node() { return add(Lane{.per_node = true, .domain_of = everywhere()}); }
    LaneId whole_cluster() { return add(Lane{.domain_of = everywhere()}); }

    std::size_t size() const noexcept { return lanes_.size(); }
    const Lane& operator[](LaneId id) const noexcept { return lanes_[id]; }
    /// The label's value in a domain of a lane; domains ascend by it.
    const std::string& value(LaneId lane, std::int32_t domain) const {
        return keys_.at(lanes_[lane].key).values[static_cast<std::size_t>(domain)];
    }

private:
    struct Key {
        std::vector<std::string> values{};  // ascending
        DomainByProfile domain_of{};
        std::optional<LaneId> all{};  // the lane of all nodes that have the label
    };
    Key& read(std::string_view key);
    LaneId add(Lane lane);
    DomainByProfile everywhere() const { return DomainByProfile(profiles_->size(), 0); }

    const NodeProfiles* profiles_ = nullptr;
    std::map<std::string, Key, std::less<>> keys_;
    std::vector<Lane> lanes_;
    std::map<std::pair<std::string, DomainByProfile>, std::vector<LaneId>> index_;
};

}  // namespace capstan::engine
