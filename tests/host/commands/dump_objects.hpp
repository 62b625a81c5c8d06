/// Objects of cluster dumps as JSON.
#pragma once

#include <string>

namespace capstan::commands {

/// A ready node of 4 cores and 16Gi, of the pool "web".
inline std::string ready_node(const std::string& name) {
    return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"kubernetes.io/hostname":")" +
           name + R"(","agentpool":"web"}},"status":{
           "capacity":{"cpu":"4","memory":"16Gi","pods":"110"},
           "allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},"conditions":[
           {"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

}  // namespace capstan::commands
