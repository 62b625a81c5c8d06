/// What all controllers are: objects that work from their construction to their destruction.
#pragma once

#include <string>
#include <string_view>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// Listens to the feed of its context, which it borrows. [the loop's thread]
class Controller {
public:
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;
    virtual ~Controller() = default;

    /// Makes the objects that every cluster has, if they are missing. Called once, before the feed
    /// starts.
    virtual void make_defaults() {}

protected:
    explicit Controller(ControlContext& context) : context_(context) {}

    ControlContext& context_;
};

/// A controller that reconciles the objects in its work queue. [the loop's thread]
class QueuedController : public Controller {
protected:
    explicit QueuedController(ControlContext& context)
        : Controller(context),
          queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {}

    virtual void reconcile(const std::string& key) = 0;

    /// Adds an object of `resource` to the queue whenever the object changes.
    void watch(std::string_view resource) {
        context_.feed().listen(
            resource, [this](const Change& change) { queue_.add(object_key(*change.object)); });
    }
    /// Adds all objects of `resource` to the queue, or those in a namespace.
    void add_all(std::string_view resource, std::string_view space = {}) {
        for (const ApiObject& object : context_.store().list(context_.kind(resource), space).items)
            queue_.add(object_key(*object));
    }
    /// Adds the pods of the node to the queue.
    void add_pods_on(const json::object& node) {
        for (const ApiObject& pod : context_.index().pods_on(name_of(node)))
            queue_.add(object_key(*pod));
    }

    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
