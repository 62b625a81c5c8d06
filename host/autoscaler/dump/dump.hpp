/// Reads the dump of a real cluster.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "autoscaler/dump/dumped_objects.hpp"
#include "autoscaler/offline/cloud_settings.hpp"
#include "config/configuration.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot/cluster_sink.hpp"

namespace capstan::autoscaler::dump {

/// A sink that keeps decoded objects as they are.
class CollectedObjects final : public engine::snapshot::ClusterSink {
public:
    void set(const engine::snapshot::NodeObject& o) override { nodes_.insert_or_assign(o.name, o); }
    void set(const engine::snapshot::PodObject& o) override {
        pods_.insert_or_assign({o.ns, o.name}, o);
    }
    void set(engine::snapshot::DaemonSetObject o) override { put(daemon_sets_, std::move(o)); }
    /// Left out: the disruptions a budget allows change as pods move. DumpFacts has the budgets'
    /// specs; the rest is computed from them.
    void set(engine::snapshot::DisruptionBudgetObject) override {}
    void set(engine::snapshot::ControllerObject o) override {
        Key key(o.kind + "/" + o.ns, o.name);
        controllers_.insert_or_assign(std::move(key), std::move(o));
    }
    void set(engine::snapshot::ClaimObject o) override { put(claims_, std::move(o)); }
    void set(engine::snapshot::VolumeObject o) override { put(volumes_, std::move(o)); }
    void set(engine::snapshot::StorageClassObject o) override {
        put(storage_classes_, std::move(o));
    }
    void set(engine::snapshot::CsiNodeObject o) override { put(csi_nodes_, std::move(o)); }
    void set(engine::snapshot::CsiDriverObject o) override { put(csi_drivers_, std::move(o)); }
    void set(engine::snapshot::CsiCapacityObject o) override { put(csi_capacities_, std::move(o)); }
    void set(engine::snapshot::NamespaceObject o) override { put(namespaces_, std::move(o)); }
    void set(engine::snapshot::ServiceObject o) override { put(services_, std::move(o)); }

    /// All objects, sorted by namespace and name.
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

    std::map<std::string, engine::snapshot::NodeObject> nodes_;
    ByName<engine::snapshot::PodObject> pods_;
    ByName<engine::snapshot::DaemonSetObject> daemon_sets_;
    ByName<engine::snapshot::ControllerObject> controllers_;
    ByName<engine::snapshot::ClaimObject> claims_;
    ByName<engine::snapshot::VolumeObject> volumes_;
    ByName<engine::snapshot::StorageClassObject> storage_classes_;
    ByName<engine::snapshot::CsiNodeObject> csi_nodes_;
    ByName<engine::snapshot::CsiDriverObject> csi_drivers_;
    ByName<engine::snapshot::CsiCapacityObject> csi_capacities_;
    ByName<engine::snapshot::NamespaceObject> namespaces_;
    ByName<engine::snapshot::ServiceObject> services_;
};

struct Dump {
    std::string title{}, source{};  ///< "cluster of FILE"; the file
    Time start{};                   ///< when the dump was taken
    /// How `start` is known, "latest heartbeat of node n1". Empty: the dump has no times.
    std::string start_because{};
    Objects objects{};
    std::vector<Budget> budgets{};
    /// ConfigMaps and Balancers, for plugins that read them through the Kubernetes API, as JSON.
    std::vector<std::string> plugin_objects{};
    engine::Memory memory{};     ///< the back-offs that the status ConfigMap shows
    std::string label_preset{};  ///< of the plugin `labels`; empty: its default
    /// The providerIDs of the nodes, by the id of the machine that stands in.
    std::map<std::string, std::string, std::less<>> provider_ids{};
    /// The clouds that replace those of the configuration; empty: those are used.
    std::vector<offline::CloudSettings> clouds{};
    /// What was left out, what was guessed and what is absent, one sentence each.
    std::vector<std::string> remarks{};
};

/// Reads the output of `kubectl get ... -o json`, of `capstan dump`, or of upstream's `/snapshotz`
/// ("-": standard input). The clock starts when the dump was taken; see dump_time.hpp. Budgets
/// follow their spec. All absent kinds that decisions need are one remark. The node groups are
/// those that make_stand_ins() makes, if the configuration needs them; otherwise the clouds of the
/// configuration are used, which have none of the dump's nodes. Fails if the file cannot be read,
/// is not JSON, or has no nodes or no pods.
Result<Dump> read_dump(const std::filesystem::path& file, const config::Config& config);

}  // namespace capstan::autoscaler::dump
