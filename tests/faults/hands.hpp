/// The others at work in a cluster, in the least possible form: kubelets, the scheduler, and the
/// controller of pods that belong to a ReplicaSet.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "simulation/api_server/object_store.hpp"

namespace capstan::faults {

namespace json = boost::json;

inline constexpr const char* space = "default";

/// Leads to the API server of this process.
inline constexpr const char* kubeconfig = R"({"apiVersion":"v1","kind":"Config",
"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";

/// Throws what the store refuses. `in`: its namespace, empty where it has none.
void make(simulation::api_server::ObjectStore& store, const char* resource, const char* in,
          json::object object);
/// Of one pod, with pods labelled app=NAME.
json::object replica_set(const std::string& name);
/// A pod of the ReplicaSet `owner`, which is one word: "b" has "b-1", "b-2" ...
json::object pod_object(const std::string& owner, int number, int milli_cpu);

/// Looks every second; what it does is done at once. [the loop's thread]
class Hands {
public:
    /// Borrows the store. Works until it goes.
    explicit Hands(simulation::api_server::ObjectStore& store);
    Hands(const Hands&) = delete;
    Hands& operator=(const Hands&) = delete;
    ~Hands();

private:
    void work();
    void ready_nodes();
    /// Pods that are to go are gone, and another comes in the place of each.
    void end_pods();
    /// Onto the node with the most room.
    void schedule();
    int room_on(const json::object& node) const;
    void bind(const json::object& pod, const std::string& node);
    void say_unschedulable(const json::object& pod);

    simulation::api_server::ObjectStore& store_;
    const simulation::api_server::ResourceKind &nodes_, &pods_;
    io::TimerId timer_ = 0;
};

}  // namespace capstan::faults
