/// Events, as `kubectl describe` shows them below an object.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::control_plane {

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

}  // namespace capstan::simulation::control_plane
