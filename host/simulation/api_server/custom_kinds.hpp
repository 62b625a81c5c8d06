/// The HorizontalPodAutoscaler, which is kept as v2 and served as v1, too: `kubectl autoscale`
/// writes that.
#pragma once

#include <memory>
#include <vector>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::api_server {

/// v1's target share of CPU becomes the metric that it stands for.
json::object autoscaler_as_v2(json::object v1);
/// The other way; metrics that v1 has no word for are left out.
json::object autoscaler_as_v1(json::object v2);

// Custom resource definitions: once one is there, its kind is served.

/// The versions that a definition wants to be served, the first one preferred.
std::vector<ResourceKind> kinds_in(const json::object& definition);

/// Follows the definitions in a store, and says in their status that they are established; those
/// that are not named after what they define, or name a built-in kind, never are. Must go before
/// the store. [the loop's thread]
class CustomKinds {
public:
    explicit CustomKinds(ObjectStore& store);

private:
    void follow(const Change& change);
    void establish(const json::object& definition);
    void withdraw(const json::object& definition);

    ObjectStore& store_;
    std::unique_ptr<Subscription> subscription_;
};

}  // namespace capstan::simulation::api_server
