/// What one new node of a group will offer.
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
    Resources capacity{};       ///< the machine
    Resources allocatable{};    ///< less what the system keeps
    Resources free{};           ///< less what DaemonSet and kube-proxy pods take
    std::string fingerprint{};  ///< as NodeGroup::template_fingerprint
    int variants = 1;  ///< machine types behind it; with more than one, figures are the minimum

    bool operator==(const NodeTemplate&) const = default;
};

CAPSTAN_NAMESPACE_END
