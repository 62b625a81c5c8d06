/// Tells controllers of the store's objects: of those that are there, then of every change.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::control_plane {

/// Listeners are told in the order in which they asked, of one kind in the order of revisions.
/// Where changes were forgotten before they were told, what is there is told again as added and
/// what is not as deleted. Kinds that come later are followed, too. [the loop's thread]
class ObjectFeed {
public:
    using Listener = std::function<void(const api_server::Change&)>;
    using KindListener =
        std::function<void(const api_server::ResourceKind&, const api_server::Change&)>;

    explicit ObjectFeed(api_server::ObjectStore& store) : store_(store) {}
    ObjectFeed(const ObjectFeed&) = delete;
    ObjectFeed& operator=(const ObjectFeed&) = delete;

    /// Before start(); `resource` is "pods" or "deployments.apps".
    void listen(std::string_view resource, Listener listener);
    /// The same for all kinds.
    void listen_to_all(KindListener listener);
    /// Tells of what is there.
    void start();

private:
    struct Watch {
        api_server::KindPtr kind{};
        std::map<std::string, api_server::ApiObject> known{};
        std::unique_ptr<api_server::Subscription> subscription{};
    };
    void follow_new_kinds();
    void follow(Watch& watch);
    void tell(Watch& watch, const api_server::Change& change);

    api_server::ObjectStore& store_;
    std::vector<std::pair<std::string, KindListener>> listeners_;  ///< empty name: all kinds
    std::map<std::string, Watch, std::less<>> watches_;
};

// Which objects belong to which: by owner, by controller, by node.

struct ObjectName {
    std::string resource{}, space{}, name{};
    auto operator<=>(const ObjectName&) const = default;
};

/// Answers are what the store holds now, in the order of resource, namespace and name. What is new
/// is found once it was noted. [the loop's thread]
class ObjectIndex {
public:
    explicit ObjectIndex(const api_server::ObjectStore& store) : store_(store) {}

    /// Looks at an object anew; it may be gone.
    void note(const api_server::ResourceKind& kind, std::string_view space, std::string_view name);

    std::vector<api_server::ApiObject> controlled_by(std::string_view uid,
                                                     std::string_view resource) const;
    /// Of pods, ReplicaSets and ControllerRevisions alone.
    std::vector<api_server::ApiObject> without_controller(std::string_view space,
                                                          std::string_view resource) const;
    std::vector<api_server::ApiObject> pods_on(std::string_view node) const;
    /// Objects that name it as an owner.
    std::vector<ObjectName> dependents_of(std::string_view uid) const;
    /// The object of that uid; none, or one.
    std::vector<ObjectName> named_by_uid(std::string_view uid) const;

private:
    using Names = std::set<ObjectName>;
    std::vector<ObjectName> names_in(const std::string& shelf) const;
    std::vector<api_server::ApiObject> objects_in(const std::string& shelf) const;

    const api_server::ObjectStore& store_;
    std::map<std::string, Names, std::less<>> shelves_;
    std::map<ObjectName, std::vector<std::string>> shelves_of_;
};

}  // namespace capstan::simulation::control_plane
