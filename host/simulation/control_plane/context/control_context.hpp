/// What all controllers share: the store, its changes, owners and dependents, and a pace.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulation/api_server/object_store.hpp"
#include "simulation/control_plane/context/control_plane_options.hpp"
#include "simulation/control_plane/context/object_index.hpp"

namespace capstan::simulation::control_plane {

// Events, as `kubectl describe` shows them below an object.

/// What is said again of the same object counts up. Each goes an hour after it was last said, as
/// soon as something else is. [the loop's thread]
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

    void record(const api_server::ResourceKind& kind, const json::object& object,
                const Event& event);

private:
    struct Said {
        std::string space{}, name{};  ///< of the Event
        Time last{};
    };
    void write(const api_server::ResourceKind& kind, const json::object& object, const Event& event,
               const std::string& id);
    void forget_old();

    api_server::ObjectStore& store_;
    std::map<std::string, Said> said_;
    std::deque<std::pair<Time, std::string>> by_time_;  ///< an id again for each time it was said
    std::uint64_t last_number_ = 0;
};

/// Writes go through here, so that the index knows of them before they are told. What is refused,
/// because the object is gone for example, is left to the next reason to look at it.
/// [the loop's thread]
class ControlContext {
public:
    ControlContext(api_server::ObjectStore& store, ControlPlaneOptions options);
    ControlContext(const ControlContext&) = delete;
    ControlContext& operator=(const ControlContext&) = delete;

    api_server::ObjectStore& store() const noexcept { return store_; }
    io::Loop& loop() const noexcept { return store_.loop(); }
    Time now() const { return store_.now(); }
    const ControlPlaneOptions& options() const noexcept { return options_; }
    const api_server::ResourceKind& kind(std::string_view resource) const {
        return store_.kind(resource);
    }
    ObjectFeed& feed() noexcept { return feed_; }
    const ObjectIndex& index() const noexcept { return index_; }
    ControllerEvents& events() noexcept { return events_; }

    /// How long something takes here that takes `real` in a real cluster.
    Duration paced(Duration real) const;
    Duration paced_s(std::int64_t seconds) const {
        return paced(api_server::bounded_seconds(seconds));
    }

    /// By "namespace/name". NULL: none.
    api_server::ApiObject find(std::string_view resource, std::string_view key) const;
    /// NULL: refused.
    api_server::ApiObject create(std::string_view resource, std::string_view space,
                                 json::object object);
    api_server::ApiObject edit(std::string_view resource, const json::object& object,
                               const std::function<void(json::object&)>& change,
                               api_server::ObjectPart part = api_server::ObjectPart::everything);
    /// The object of that uid, and no later one of the same name.
    void remove(std::string_view resource, const json::object& object,
                api_server::RemoveOptions options = {});

private:
    api_server::ObjectStore& store_;
    ControlPlaneOptions options_;
    ObjectFeed feed_;
    ObjectIndex index_;
    ControllerEvents events_;
};

}  // namespace capstan::simulation::control_plane
