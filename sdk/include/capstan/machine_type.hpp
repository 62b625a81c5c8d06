/// What a cloud could make groups of, and what such a group would be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// One way to have machines of a type.
struct MachineOffering {
    std::string zone{};                      ///< empty: the cloud chooses, or has none
    bool spot = false;                       ///< may be reclaimed by the cloud
    Labels labels{};                         ///< what nodes carry because of it: zone, region, spot
    std::optional<double> price_per_hour{};  ///< of one node
    std::string currency = "USD";            ///< of that price, as Price::currency
    bool operator==(const MachineOffering&) const = default;
};

struct MachineType {
    std::string name{};           ///< not empty, unique within its cloud
    Labels labels{};              ///< what its nodes carry wherever they are: type, arch, os
    std::vector<Taint> taints{};  ///< what the cloud puts on all of its nodes
    Resources capacity{};         ///< the machine
    Resources allocatable{};      ///< less what the system keeps
    std::vector<MachineOffering>
        offerings{};  ///< each of its own zone and `spot`; none: cannot be had
    bool operator==(const MachineType&) const = default;
};

/// All of a cloud.
struct MachineTypes {
    std::vector<MachineType> types{};
    bool operator==(const MachineTypes&) const = default;
};

/// What a group that does not exist would be. Equal plans have equal names.
struct GroupPlan {
    std::string name{};  ///< lower-case letters, digits and '-'
    std::string machine_type{}, zone{};
    bool spot = false;
    Labels labels{};              ///< besides those of machine type and offer
    std::vector<Taint> taints{};  ///< besides those of the machine type
    bool operator==(const GroupPlan&) const = default;
};

/// A theoretical group: as its cloud would list it once made, and what a node of it would be.
struct PlannedGroup {
    NodeGroup group{};
    NodeTemplate node{};
    bool operator==(const PlannedGroup&) const = default;
};

CAPSTAN_NAMESPACE_END
