/// The pods and nodes of the simulated cluster as they truly are, followed by facts alone.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

#include "engine/snapshot/objects.hpp"
#include "simulator/facts.hpp"

namespace capstan::simulator::chaos {

/// A pod that exists.
struct TruePod {
    std::string batch{};  ///< "default/web"
    std::string node{};   ///< empty: it has none
    Time arrived{};
    bool is_ending = false;  ///< evicted or deleted, and not gone yet
    /// As of its batch, never NULL: labels, annotations, owner and spec are the pod's.
    std::shared_ptr<const engine::snapshot::PodObject> object{};
};

class TruePods {
public:
    /// To be called with each fact, in order.
    void observe(const Fact& fact);
    /// NULL: there is no such pod.
    const TruePod* find(std::string_view pod) const;
    /// The names of the pods on the node, in order.
    const std::set<std::string, std::less<>>& on(std::string_view node) const;
    bool is_ready(std::string_view node) const { return ready_.contains(node); }
    /// The replicas that the controller of the batch last wanted; zero: unknown.
    int wanted(std::string_view batch) const;

private:
    void add(const Fact& fact);
    void remove(std::string_view pod);

    std::map<std::string, TruePod, std::less<>> pods_;
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> on_;  ///< by node
    std::set<std::string, std::less<>> ready_;                                   ///< nodes
    std::map<std::string, int, std::less<>> wanted_;                             ///< by batch
    std::map<std::string, std::shared_ptr<const engine::snapshot::PodObject>, std::less<>>
        templates_;  ///< by batch
};

/// Whether the pod is a DaemonSet's or a mirror pod, which only runs on its own node.
bool stays_on_node(const engine::snapshot::PodObject& pod);
/// Whether other pods may preempt the pod, so that it keeps no node.
bool is_preemptible(const engine::snapshot::PodObject& pod, int cutoff);

}  // namespace capstan::simulator::chaos
