/// The state that all controllers share: the store, its feed and index, Events, and the speed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/control_plane/context/api_names.hpp"
#include "simulator/control_plane/context/control_plane_options.hpp"
#include "simulator/control_plane/context/object_index.hpp"

namespace capstan::simulator::control_plane {

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
