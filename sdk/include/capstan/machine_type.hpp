/// Machine types that a cloud offers, and plans of groups of them.
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

/// An offering of a machine type.
struct MachineOffering {
    std::string zone{};                      ///< empty: the cloud chooses one, or has no zones
    bool spot = false;                       ///< may be reclaimed by the cloud
    Labels labels{};                         ///< node labels of this offering: zone, region, spot
    std::optional<double> price_per_hour{};  ///< of one node
    std::string currency = "USD";            ///< of that price, as Price::currency
    bool operator==(const MachineOffering&) const = default;
};

struct MachineType {
    std::string name{};           ///< not empty, unique within its cloud
    Labels labels{};              ///< labels of its nodes in every zone: type, arch, os
    std::vector<Taint> taints{};  ///< taints that the cloud puts on all of its nodes
    Resources capacity{};         ///< of the machine
    Resources allocatable{};      ///< capacity less system reservations
    std::vector<MachineOffering> offerings{};  ///< unique by zone and `spot`; empty: not offered
    bool operator==(const MachineType&) const = default;
};

/// All machine types of a cloud.
struct MachineTypes {
    std::vector<MachineType> types{};
    bool operator==(const MachineTypes&) const = default;
};

/// The plan of a group that does not exist. Equal plans have equal names.
struct GroupPlan {
    std::string name{};  ///< lower-case letters, digits and '-'
    std::string machine_type{}, zone{};
    bool spot = false;
    Labels labels{};              ///< in addition to those of machine type and offering
    std::vector<Taint> taints{};  ///< in addition to those of the machine type
    bool operator==(const GroupPlan&) const = default;
};

/// A theoretical group, as the cloud would list it, and the template of its nodes.
struct PlannedGroup {
    NodeGroup group{};
    NodeTemplate node{};
    bool operator==(const PlannedGroup&) const = default;
};

CAPSTAN_NAMESPACE_END
