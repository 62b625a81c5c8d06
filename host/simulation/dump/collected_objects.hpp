/// Keeps decoded objects as they are.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/snapshot/cluster_sink.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

class CollectedObjects final : public engine::ClusterSink {
public:
    void set(const engine::NodeObject& o) override { nodes_.insert_or_assign(o.name, o); }
    void set(const engine::PodObject& o) override { pods_.insert_or_assign({o.ns, o.name}, o); }
    void set(engine::DaemonSetObject o) override { put(daemon_sets_, std::move(o)); }
    /// What it may do now changes as pods move; their bounds are in DumpFacts.
    void set(engine::DisruptionBudgetObject) override {}
    void set(engine::ControllerObject o) override {
        Key key(o.kind + "/" + o.ns, o.name);
        controllers_.insert_or_assign(std::move(key), std::move(o));
    }
    void set(engine::ClaimObject o) override { put(claims_, std::move(o)); }
    void set(engine::VolumeObject o) override { put(volumes_, std::move(o)); }
    void set(engine::StorageClassObject o) override { put(storage_classes_, std::move(o)); }
    void set(engine::CsiNodeObject o) override { put(csi_nodes_, std::move(o)); }
    void set(engine::CsiDriverObject o) override { put(csi_drivers_, std::move(o)); }
    void set(engine::CsiCapacityObject o) override { put(csi_capacities_, std::move(o)); }
    void set(engine::NamespaceObject o) override { put(namespaces_, std::move(o)); }
    void set(engine::ServiceObject o) override { put(services_, std::move(o)); }

    /// All of them, by namespace and name.
    Objects take() &&;

private:
    using Key = std::pair<std::string, std::string>;
    template <class T>
    using ByName = std::map<Key, T>;
    template <class T>
    static void put(ByName<T>& to, T object) {
        std::string ns;
        if constexpr (requires { object.ns; }) ns = object.ns;
        Key key(std::move(ns), object.name);
        to.insert_or_assign(std::move(key), std::move(object));
    }

    std::map<std::string, engine::NodeObject> nodes_;
    ByName<engine::PodObject> pods_;
    ByName<engine::DaemonSetObject> daemon_sets_;
    ByName<engine::ControllerObject> controllers_;
    ByName<engine::ClaimObject> claims_;
    ByName<engine::VolumeObject> volumes_;
    ByName<engine::StorageClassObject> storage_classes_;
    ByName<engine::CsiNodeObject> csi_nodes_;
    ByName<engine::CsiDriverObject> csi_drivers_;
    ByName<engine::CsiCapacityObject> csi_capacities_;
    ByName<engine::NamespaceObject> namespaces_;
    ByName<engine::ServiceObject> services_;
};

}  // namespace capstan::simulation
