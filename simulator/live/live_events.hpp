/// The output of a live cluster: a line for each thing that happens.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/api_server/object_store.hpp"

namespace capstan::simulator::live {

struct LiveLine {
    /// "scenario" (an action of the scenario), "pods", "nodes", "autoscaler" (its Events),
    /// "balancer", "unmet" or "note".
    std::string kind{};
    std::string subject{};  ///< the batch, node or group; empty: none
    std::string text{};
};

using ReportLive = std::function<void(const LiveLine&)>;

/// Watches a live cluster and reports the changes of its pods, nodes and Balancers, and the Events
/// of its autoscaler. Changes that come shortly after each other become one line. [the loop's
/// thread]
class LiveEvents {
public:
    /// Borrows the store. Reports changes from now on.
    LiveEvents(api_server::ObjectStore& store, ReportLive report);
    LiveEvents(const LiveEvents&) = delete;
    LiveEvents& operator=(const LiveEvents&) = delete;
    ~LiveEvents();

private:
    /// The pods with one label `app` that no DaemonSet owns.
    struct App {
        std::set<std::string> waiting{}, placed{}, ending{};  ///< by "namespace/name"
        std::string last_line{};
        bool has_changed = false;
    };

    void follow(std::string_view resource, void (LiveEvents::*take)(const api_server::Change&));
    void take_pod(const api_server::Change& change);
    void take_node(const api_server::Change& change);
    void take_event(const api_server::Change& change);
    void take_balancer(const api_server::Change& change);
    void flush_balancers();
    void add_node_event(const std::string& what, const std::string& node);
    void schedule_flush();
    void flush();
    void flush_nodes();
    void flush_app(const std::string& name, App& app);

    api_server::ObjectStore& store_;
    const ReportLive report_;
    std::map<std::string, App> apps_{};
    std::vector<std::pair<std::string, std::vector<std::string>>> nodes_{};  ///< kind, names
    /// The line that was reported last and the current one, by Balancer.
    std::map<std::string, std::pair<std::string, std::string>> balancers_{};
    std::optional<io::TimerId> timer_{};
    std::vector<std::unique_ptr<api_server::Subscription>> subscriptions_{};
};

}  // namespace capstan::simulator::live
