/// The watches and the index of all controllers: ObjectFeed calls listeners for each change of an
/// object, and ObjectIndex finds objects by owner, by controller and by node.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/control_plane/context/api_names.hpp"

namespace capstan::simulator::control_plane {

/// Calls listeners first with the objects that exist, then with every change. The listeners of a
/// change are called in the order in which they were added, and the changes of one kind come in the
/// order of revisions. If the history no longer has the next change, the feed lists the kind again:
/// existing objects come once more as added, and objects that are gone as deleted. Kinds of custom
/// resource definitions are followed, too. [the loop's thread]
class ObjectFeed {
public:
    using Listener = std::function<void(const Change&)>;
    using KindListener = std::function<void(const ResourceKind&, const Change&)>;

    explicit ObjectFeed(api_server::ObjectStore& store) : store_(store) {}
    ObjectFeed(const ObjectFeed&) = delete;
    ObjectFeed& operator=(const ObjectFeed&) = delete;

    /// Adds a listener for "pods" or "deployments.apps". To be called before start().
    void listen(std::string_view resource, Listener listener);
    /// Adds a listener for all kinds. To be called before start().
    void listen_to_all(KindListener listener);
    /// Begins with the objects that exist.
    void start();

private:
    struct Watch {
        KindPtr kind{};
        std::map<std::string, ApiObject> objects{};  ///< that listeners were given
        std::unique_ptr<api_server::Subscription> subscription{};
    };
    void follow_new_kinds();
    void follow(Watch& watch);
    void notify(Watch& watch, const Change& change);

    api_server::ObjectStore& store_;
    std::vector<std::pair<std::string, KindListener>> listeners_;  ///< empty name: all kinds
    std::map<std::string, Watch, std::less<>> watches_;
};

struct ObjectName {
    std::string resource{}, space{}, name{};
    auto operator<=>(const ObjectName&) const = default;
};

/// Finds objects by owner, by controller and by node, in the order of resource, namespace and name,
/// as the store holds them now. A new object is found once note() was called for it. [the loop's
/// thread]
class ObjectIndex {
public:
    explicit ObjectIndex(const api_server::ObjectStore& store) : store_(store) {}

    /// Indexes an object again, or removes it from the index if it is deleted.
    void note(const ResourceKind& kind, std::string_view space, std::string_view name);

    std::vector<ApiObject> controlled_by(std::string_view uid, std::string_view resource) const;
    /// Objects that a controller could adopt: only pods, ReplicaSets and ControllerRevisions.
    std::vector<ApiObject> without_controller(std::string_view space,
                                              std::string_view resource) const;
    std::vector<ApiObject> pods_on(std::string_view node) const;
    /// Objects with an owner reference to that uid.
    std::vector<ObjectName> dependents_of(std::string_view uid) const;
    /// The object of that uid, if it exists.
    std::vector<ObjectName> find_by_uid(std::string_view uid) const;

private:
    using Names = std::set<ObjectName>;
    std::vector<ObjectName> names_in(const std::string& key) const;
    std::vector<ApiObject> objects_in(const std::string& key) const;

    const api_server::ObjectStore& store_;
    std::map<std::string, Names, std::less<>> names_by_key_;
    std::map<ObjectName, std::vector<std::string>> keys_of_;
};

}  // namespace capstan::simulator::control_plane
