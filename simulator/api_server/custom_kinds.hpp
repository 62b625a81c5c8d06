/// Kinds that need more than a row in the table of ResourceKinds: the HorizontalPodAutoscaler with
/// its two versions, and the kinds of custom resource definitions.
#pragma once

#include <memory>
#include <vector>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/object_store.hpp"

namespace capstan::simulator::api_server {

// The HorizontalPodAutoscaler is stored as v2. It is served as v1, too, for `kubectl autoscale`.

/// v1's targetCPUUtilizationPercentage becomes a metric of v2.
json::object autoscaler_as_v2(json::object v1);
/// A metric of v2 for the utilization of CPU becomes v1's targetCPUUtilizationPercentage; other
/// metrics, and the behavior, are left out.
json::object autoscaler_as_v1(json::object v2);

// Custom resource definitions: as long as one exists, its kind is served.

/// The versions of a definition that are to be served, in its order; the first one is preferred.
std::vector<ResourceKind> kinds_in(const json::object& definition);

/// Follows the definitions in a store, serves their kinds, and marks them as established in their
/// status. A definition that is not named PLURAL.GROUP, or that names a built-in kind, is never
/// established. Must be destroyed before the store. [the loop's thread]
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

}  // namespace capstan::simulator::api_server
