/// The template of a new node of a group.
#pragma once

#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Empty text means unknown.
struct NodeTemplate {
    std::string name{};
    std::string machine_type{}, zone{}, arch{}, os{};
    Labels labels{}, annotations{};
    std::vector<Taint> taints{};
    Resources capacity{};       ///< of the machine
    Resources allocatable{};    ///< capacity less system reservations
    Resources free{};           ///< allocatable less DaemonSet and kube-proxy pods
    std::string fingerprint{};  ///< as NodeGroup::template_fingerprint
    int variants = 1;           ///< number of machine types; with several, amounts are the minimum

    bool operator==(const NodeTemplate&) const = default;
};

CAPSTAN_NAMESPACE_END
