/// Registers machines as Node objects in the cluster, without a kubelet; kwok manages them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/kube.hpp>
#include <capstan/node_template.hpp>
#include <capstan/task.hpp>

namespace capstan::simulated {

/// A Node object of this cloud, as the cluster has it.
struct JoinedNode {
    std::string name{}, uid{};
    std::string group{};  ///< empty: the providerID is not that of a simulated machine
    int number = 0;       ///< of the machine
    std::string type{};   ///< of the machine
    std::optional<Time> launched{};
    bool operator==(const JoinedNode&) const = default;
};

/// "web-3": a valid name of a Node object.
std::string node_name(const NodeGroupId& group, int number);
/// The number in "simulated://web/3"; 0 if there is none.
int number_of(const MachineId& machine);

/// By name.
using JoinedNodes = std::map<std::string, JoinedNode, std::less<>>;

/// The Node objects of one instance, found by a label with its name.
class Nodes {
public:
    explicit Nodes(Host host) : host_(host) {}

    // On the instance's strand. Failures say which node.
    Task<JoinedNodes> list();
    /// Starts a watch of the nodes, if that is granted.
    void follow();
    /// The nodes by the watch; NULL without a watch, or while it is not synced or has lost the
    /// server.
    const JoinedNodes* find_followed() const;
    /// Whether the watch has not yet shown all nodes that were created or removed here.
    bool is_behind();
    /// Changes whenever a field of a followed JoinedNode changes. Taints and heartbeats of nodes do
    /// not count.
    std::uint64_t version() const noexcept { return version_; }
    /// Deletes the node if it still has the same uid. A node that is gone already counts as
    /// deleted.
    Task<void> remove(JoinedNode node);
    /// Creates the object that `write` made. `conflict`: another node has the name.
    Task<void> create(std::string name, std::string object);
    std::string write(const NodeTemplate& node, const Machine& machine) const;

private:
    void handle_event(const KubeEvent& event);
    bool is_known(const JoinedNode& node) const;

    const Host host_;
    JoinedNodes followed_;
    std::uint64_t version_ = 0;
    std::map<std::string, bool> awaited_;  ///< by name: whether the watch is to show the node
    bool has_synced_ = false, is_in_touch_ = false;
    std::optional<KubeWatch> watch_;
};

}  // namespace capstan::simulated
