/// Which objects belong to which: by owner, by controller, by node.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation {

struct ObjectName {
    std::string resource{}, space{}, name{};
    auto operator<=>(const ObjectName&) const = default;
};

/// Answers are what the store holds now, in the order of resource, namespace and name. What is new
/// is found once it was noted. [the loop's thread]
class ObjectIndex {
public:
    explicit ObjectIndex(const ObjectStore& store) : store_(store) {}

    /// Looks at an object anew; it may be gone.
    void note(const ResourceKind& kind, std::string_view space, std::string_view name);

    std::vector<ApiObject> controlled_by(std::string_view uid, std::string_view resource) const;
    /// Of pods, ReplicaSets and ControllerRevisions alone.
    std::vector<ApiObject> without_controller(std::string_view space,
                                              std::string_view resource) const;
    std::vector<ApiObject> pods_on(std::string_view node) const;
    /// Whoever names it as an owner.
    std::vector<ObjectName> dependents_of(std::string_view uid) const;
    /// The object of that uid; none, or one.
    std::vector<ObjectName> named_by_uid(std::string_view uid) const;

private:
    using Names = std::set<ObjectName>;
    std::vector<ObjectName> names_in(const std::string& shelf) const;
    std::vector<ApiObject> objects_in(const std::string& shelf) const;

    const ObjectStore& store_;
    std::map<std::string, Names, std::less<>> shelves_;
    std::map<ObjectName, std::vector<std::string>> shelves_of_;
};

}  // namespace capstan::simulation
