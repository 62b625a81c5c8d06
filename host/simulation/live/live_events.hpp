/// What happens in a live cluster, told as it happens.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::live {

/// A sentence, and about what it is: "scenario" (the scenario acts), "pods", "nodes", "autoscaler"
/// (its own events), "balancer", "note".
struct LiveLine {
    std::string kind{};
    std::string subject{};  ///< the batch, node or group; empty: none
    std::string text{};
};

using TellLive = std::function<void(const LiveLine&)>;

// Watches the objects of a live cluster and says what becomes of its pods and nodes, and what its
// autoscaler announces.

/// Many changes of one moment become one line. [the loop's thread]
class LiveEvents {
public:
    /// Borrows the store. Tells from now on.
    LiveEvents(api_server::ObjectStore& store, TellLive tell);
    LiveEvents(const LiveEvents&) = delete;
    LiveEvents& operator=(const LiveEvents&) = delete;
    ~LiveEvents();

private:
    /// The pods of one app that no DaemonSet owns.
    struct App {
        std::set<std::string> waiting{}, placed{}, ending{};  ///< by "namespace/name"
        std::string told{};
        bool has_changed = false;
    };

    void follow(std::string_view resource, void (LiveEvents::*take)(const api_server::Change&));
    void take_pod(const api_server::Change& change);
    void take_node(const api_server::Change& change);
    void take_event(const api_server::Change& change);
    void take_balancer(const api_server::Change& change);
    void flush_balancers();
    void say_of_node(const std::string& what, const std::string& node);
    void tell_soon();
    void flush();
    void flush_nodes();
    void flush_app(const std::string& name, App& app);

    api_server::ObjectStore& store_;
    const TellLive tell_;
    std::map<std::string, App> apps_{};
    std::vector<std::pair<std::string, std::vector<std::string>>> nodes_{};   ///< kind, names
    std::map<std::string, std::pair<std::string, std::string>> balancers_{};  ///< told and now
    std::optional<io::TimerId> timer_{};
    std::vector<std::unique_ptr<api_server::Subscription>> subscriptions_{};
};

}  // namespace capstan::simulation::live
