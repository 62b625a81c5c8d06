/// A simulated cluster in this process: two zones, a Deployment in each, a Balancer over both
/// Deployments, and the daemon without a cloud. Time is virtual.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/daemon.hpp"
#include "simulator/api_server/local_http_client.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::balancer {

class BalancedCluster {
public:
    /// Nodes "a" and "b", Deployments "web-a" and "web-b" without pods, and the shipped CRD.
    BalancedCluster();
    BalancedCluster(const BalancedCluster&) = delete;
    BalancedCluster& operator=(const BalancedCluster&) = delete;
    ~BalancedCluster();

    /// Creates the Balancer "web" over both Deployments; `policy` is JSON.
    void balance(int replicas, const std::string& policy);
    /// Deletes the pods of the zone; no pod is scheduled there until restore_zone().
    void fail_zone(const std::string& zone);
    void restore_zone(const std::string& zone);
    /// Creates a pod of the zone's Deployment for which no node has room.
    void add_stuck_pod(const std::string& zone);
    /// Scales through the Balancer's scale subresource, like an autoscaler. Returns the previous
    /// Scale.
    boost::json::object scale(int replicas);
    boost::json::object get_scale();

    /// Calls `what` when this much time has passed since the cluster was made.
    void at(Duration when, std::function<void()> what);
    /// Runs the daemon for this time.
    void run(Duration duration);

    /// Ready pods and replicas of both Deployments, as in "a 5/5 b 5/5".
    std::string sizes();
    boost::json::object status();
    std::string condition(const std::string& type);
    /// Messages of the Balancer's events with this reason, sorted by event name.
    std::vector<std::string> event_messages(const std::string& reason);
    /// Every change of a Deployment's spec.replicas, as in "12s web-a 0->5".
    const std::vector<std::string>& timeline() const { return timeline_; }
    /// The permissions that requests needed, see permissions.hpp.
    const std::set<std::string>& permissions() const { return permissions_; }

private:
    void create(const char* resource, const char* ns, const std::string& json);
    void create_objects();
    void watch_sizes();
    int ready(const std::string& deployment);
    int size(const std::string& deployment);
    boost::json::object send(const std::string& method, const std::string& path,
                             const std::string& body = {});
    io::Loop& loop() { return host_->loop(); }

    plugin_runtime::TemporaryFolder folder_;
    std::unique_ptr<autoscaler::Assembly> assembly_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<simulator::api_server::ObjectStore> store_;
    std::unique_ptr<simulator::api_server::ApiServer> server_;
    std::unique_ptr<simulator::control_plane::ControlPlane> control_plane_;
    std::unique_ptr<simulator::api_server::LocalHttpClient> network_;
    std::unique_ptr<simulator::api_server::Subscription> size_subscription_;
    std::vector<std::string> timeline_;
    std::set<std::string> permissions_;
};

}  // namespace capstan::balancer
