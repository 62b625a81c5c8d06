/// A minimal control plane: kubelets, the scheduler, and the controller of ReplicaSets' pods.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "simulation/api_server/object_store.hpp"

namespace capstan::faults {

namespace json = boost::json;

inline constexpr const char* space = "default";

/// A kubeconfig for the API server of this process.
inline constexpr const char* kubeconfig = R"({"apiVersion":"v1","kind":"Config",
"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";

/// Creates an object. Throws if the store refuses it. `in`: its namespace; empty if it has none.
void make(simulation::api_server::ObjectStore& store, const char* resource, const char* in,
          json::object object);
/// A ReplicaSet with one replica and the pod label app=NAME.
json::object replica_set(const std::string& name);
/// A pod of the ReplicaSet `owner`: "b" has "b-1", "b-2" ...; the owner's name has no dash.
json::object pod_object(const std::string& owner, int number, int milli_cpu);

/// Acts once a second; each action is completed immediately. [the loop's thread]
class MinimalControlPlane {
public:
    /// Borrows the store. Works until it is destroyed.
    explicit MinimalControlPlane(simulation::api_server::ObjectStore& store);
    MinimalControlPlane(const MinimalControlPlane&) = delete;
    MinimalControlPlane& operator=(const MinimalControlPlane&) = delete;
    ~MinimalControlPlane();

private:
    void work();
    void make_nodes_ready();
    /// Replaces each terminating pod by a new one.
    void replace_terminating_pods();
    /// Binds each pending pod to the node with the most room, if it fits there.
    void schedule();
    int room_on(const json::object& node) const;
    void bind(const json::object& pod, const std::string& node);
    void set_unschedulable(const json::object& pod);

    simulation::api_server::ObjectStore& store_;
    const simulation::api_server::ResourceKind &nodes_, &pods_;
    io::TimerId timer_ = 0;
};

}  // namespace capstan::faults
