/// Machines as Node objects of the cluster: written without a kubelet, for kwok to look after.
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
    std::string group{};  ///< empty: no machine of a simulated cloud
    int number = 0;       ///< of the machine
    std::string type{};   ///< of the machine
    std::optional<Time> launched{};
    bool operator==(const JoinedNode&) const = default;
};

/// "web-3": a name that the cluster takes.
std::string node_name(const NodeGroupId& group, int number);
/// The number in "simulated://web/3"; 0: it has none.
int number_of(const MachineId& machine);

/// By name.
using JoinedNodes = std::map<std::string, JoinedNode, std::less<>>;

/// The Node objects of one instance, found by a label with its name.
class Nodes {
public:
    explicit Nodes(Host host) : host_(host) {}

    // On the instance's strand. Failures say which node.
    Task<JoinedNodes> list();
    /// From now on the cluster tells what becomes of them, if that is granted.
    void follow();
    /// As they were a moment ago; NULL: they are not followed, or cannot be at present.
    const JoinedNodes* find_followed() const;
    /// Whether it has yet to show what was created or removed here.
    bool is_behind();
    /// Changes with what is followed; what nodes carry beside that (taints, heartbeats) does not
    /// count.
    std::uint64_t version() const noexcept { return version_; }
    /// Only if it is still the one that was listed; one that is gone already is as good.
    Task<void> remove(JoinedNode node);
    /// As `write` made it. A node of that name that is none of this cloud's is a conflict.
    Task<void> create(std::string name, std::string object);
    std::string write(const NodeTemplate& node, const Machine& machine) const;

private:
    void hear(const KubeEvent& event);
    bool is_known(const JoinedNode& node) const;

    const Host host_;
    JoinedNodes followed_;
    std::uint64_t version_ = 0;
    std::map<std::string, bool> awaited_;  ///< by name: whether it is to be there
    bool has_synced_ = false, is_in_touch_ = false;
    std::optional<KubeWatch> watch_;
};

}  // namespace capstan::simulated
