/// Custom resource definitions: once one is there, its kind is served.
#pragma once

#include <memory>
#include <vector>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation {

/// The versions that a definition wants to be served, the first one preferred.
std::vector<ResourceKind> kinds_in(const json::object& definition);

/// Follows the definitions in a store, and says in their status that they are established. Must go
/// before the store. [the loop's thread]
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

}  // namespace capstan::simulation
