/// Objects of the tests' clusters, and the kubeconfig for the API server of this process.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "simulator/api_server/object_store.hpp"

namespace capstan::faults {

namespace json = boost::json;

inline constexpr const char* space = "default";

inline constexpr const char* kubeconfig = R"({"apiVersion":"v1","kind":"Config",
"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";

/// Creates an object. Throws if the store refuses it. `in`: its namespace; empty if it has none.
inline void make(simulator::api_server::ObjectStore& store, const char* resource, const char* in,
                 json::object object) {
    const auto made = store.create(store.kind(resource), in, std::move(object),
                                   {.part = simulator::api_server::ObjectPart::everything});
    if (!made) throw std::runtime_error(std::string(resource) + ": " + made.error().message);
}

/// The spec of a pod with one container. It tolerates soft taints, so that its node does not depend
/// on when the daemon sets these.
inline json::object pod_spec(int milli_cpu) {
    const json::object requests{{"cpu", std::to_string(milli_cpu) + "m"}};
    const json::object soft{{"operator", "Exists"}, {"effect", "PreferNoSchedule"}};
    return {{"containers",
             json::array{json::object{
                 {"name", "c"}, {"image", "i"}, {"resources", {{"requests", requests}}}}}},
            {"tolerations", json::array{soft}}};
}

/// A StatefulSet with one replica, whose pod has a name that is known: "b" has "b-1", also after
/// an eviction.
inline json::object stateful_set(const std::string& name, int milli_cpu) {
    const json::object labels{{"app", name}};
    return {{"metadata", {{"name", name}}},
            {"spec",
             {{"ordinals", {{"start", 1}}},
              {"selector", {{"matchLabels", labels}}},
              {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod_spec(milli_cpu)}}}}}};
}

}  // namespace capstan::faults
