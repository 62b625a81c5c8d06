/// The state that all controllers share: the store, Events, the speed, a feed that calls listeners
/// for each change of an object, and an index that finds objects by owner, by controller and by
/// node.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/control_plane/context/api_names.hpp"
#include "simulator/control_plane/context/control_plane_options.hpp"

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

/// Writes Events about objects. An Event that is recorded again, with the same object, reason and
/// message, only counts up. Recording an Event deletes all Events that were last recorded an hour
/// ago or earlier. [the loop's thread]
class ControllerEvents {
public:
    struct Event {
        std::string_view component{};  ///< "default-scheduler"
        std::string_view reason{};     ///< "FailedScheduling"
        std::string message{};
        bool is_warning = false;
    };
    explicit ControllerEvents(api_server::ObjectStore& store) : store_(store) {}
    ControllerEvents(const ControllerEvents&) = delete;
    ControllerEvents& operator=(const ControllerEvents&) = delete;

    void record(const ResourceKind& kind, const json::object& object, const Event& event);

private:
    struct RecordedEvent {
        std::string space{}, name{};  ///< of the Event
        Time last{};
    };
    void write(const ResourceKind& kind, const json::object& object, const Event& event,
               const std::string& id);
    void delete_expired();

    api_server::ObjectStore& store_;
    std::map<std::string, RecordedEvent> recorded_;
    std::deque<std::pair<Time, std::string>> by_time_;  ///< an id for each time it was recorded
    std::uint64_t last_number_ = 0;
};

/// Controllers write through the context, so that the index has a write before the feed delivers
/// its change. A write that the store refuses, for example because the object is deleted, is not
/// retried: the next change of an object makes its controller reconcile again. [the loop's thread]
class ControlContext {
public:
    ControlContext(api_server::ObjectStore& store, ControlPlaneOptions options);
    ControlContext(const ControlContext&) = delete;
    ControlContext& operator=(const ControlContext&) = delete;

    api_server::ObjectStore& store() const noexcept { return store_; }
    io::Loop& loop() const noexcept { return store_.loop(); }
    Time now() const { return store_.now(); }
    const ControlPlaneOptions& options() const noexcept { return options_; }
    const ResourceKind& kind(std::string_view resource) const { return store_.kind(resource); }
    ObjectFeed& feed() noexcept { return feed_; }
    const ObjectIndex& index() const noexcept { return index_; }
    ControllerEvents& events() noexcept { return events_; }

    /// `real`, the duration in a real cluster, divided by the speed.
    Duration paced(Duration real) const;
    Duration paced_s(std::int64_t seconds) const {
        return paced(api_server::bounded_seconds(seconds));
    }

    /// `key`: "namespace/name". NULL: there is no such object.
    ApiObject find(std::string_view resource, std::string_view key) const;
    /// NULL: the store refused the write; `refusal` gets the message.
    ApiObject create(std::string_view resource, std::string_view space, json::object object,
                     std::string* refusal = nullptr);
    ApiObject edit(std::string_view resource, const json::object& object,
                   const std::function<void(json::object&)>& change,
                   ObjectPart part = ObjectPart::everything);
    /// Removes the object with this uid, and no later object of the same name.
    void remove(std::string_view resource, const json::object& object,
                api_server::RemoveOptions options = {});

private:
    api_server::ObjectStore& store_;
    ControlPlaneOptions options_;
    ObjectFeed feed_;
    ObjectIndex index_;
    ControllerEvents events_;
};

}  // namespace capstan::simulator::control_plane
