/// A cluster of two zones in this process, with a Deployment in each, a Balancer over both, and
/// `capstan run` that has no cloud; on virtual time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "runtime/assembly.hpp"
#include "runtime/daemon/daemon.hpp"
#include "simulation/api_server/local_http_client.hpp"
#include "simulation/control_plane/control_plane.hpp"

namespace capstan::balancer {

class BalancedCluster {
public:
    /// Nodes "a" and "b", Deployments "web-a" and "web-b" without pods, the CRD as it ships.
    BalancedCluster();
    BalancedCluster(const BalancedCluster&) = delete;
    BalancedCluster& operator=(const BalancedCluster&) = delete;
    ~BalancedCluster();

    /// The Balancer "web" over both; `policy` as JSON.
    void balance(int replicas, const std::string& policy);
    /// No pods start in the zone, and those that run are gone; or all is well there again.
    void fail_zone(const std::string& zone);
    void mend_zone(const std::string& zone);
    /// As an autoscaler does it: through the scale subresource. The Scale before.
    boost::json::object scale(int replicas);
    boost::json::object get_scale();

    /// `what` at that time after the start.
    void at(Duration when, std::function<void()> what);
    /// The daemon runs for so long.
    void run(Duration how_long);

    /// Replicas of both Deployments and pods that are ready, as in "a 5/5 b 5/5".
    std::string picture();
    boost::json::object status();
    std::string condition(const std::string& type);
    /// Messages of the Balancer's events of that reason, by their names.
    std::vector<std::string> told(const std::string& reason);
    /// Every change of replicas, as in "12s web-a 0->5".
    const std::vector<std::string>& timeline() const { return timeline_; }
    /// What was asked of the API server, see rights.hpp.
    const std::set<std::string>& rights() const { return rights_; }

private:
    void create(const char* resource, const char* ns, const std::string& json);
    void furnish();
    void watch_sizes();
    int ready(const std::string& deployment);
    int size(const std::string& deployment);
    boost::json::object ask(const std::string& method, const std::string& path,
                            const std::string& body = {});
    io::Loop& loop() { return host_->loop(); }

    runtime::TemporaryFolder folder_;
    std::unique_ptr<runtime::Assembly> assembly_;
    std::unique_ptr<runtime::PluginHost> host_;
    std::unique_ptr<simulation::api_server::ObjectStore> store_;
    std::unique_ptr<simulation::api_server::ApiServer> server_;
    std::unique_ptr<simulation::control_plane::ControlPlane> control_plane_;
    std::unique_ptr<simulation::api_server::LocalHttpClient> network_;
    std::unique_ptr<simulation::api_server::Subscription> seen_sizes_;
    std::vector<std::string> timeline_;
    std::set<std::string> rights_;
};

}  // namespace capstan::balancer
