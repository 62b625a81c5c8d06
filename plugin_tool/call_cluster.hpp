/// The cluster in memory behind `capstan plugin call --kind controller`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autoscaler/plugin_host.hpp"
#include "plugin_tool/call_controller.hpp"
#include "simulator/api_server/local_api.hpp"

namespace capstan::plugin_tool {

/// An API server with the Balancer, its targets and their pods, and the plugin, on virtual time.
/// No other controller runs in this cluster.
class CallCluster {
public:
    static Result<std::unique_ptr<CallCluster>> make(const autoscaler::LoadedPlugin& plugin,
                                                     const ControllerRequest& request);
    CallCluster(const CallCluster&) = delete;
    CallCluster& operator=(const CallCluster&) = delete;
    ~CallCluster();

    /// Makes the plugin the leader and lets it run for 30 s of virtual time. The error is the
    /// controller's, or `deadline` if no reconcile has ended.
    Result<void> reconcile();
    /// The placement that the Balancer's status has now.
    Result<ControllerAnswer> answer() const;

private:
    struct Target {
        std::string name, api_version, kind, object;
        std::string resource{};  ///< "deployments.apps"; empty: the server does not serve the kind
    };
    struct Parts;

    explicit CallCluster(ControllerRequest request);
    Result<void> start(const autoscaler::LoadedPlugin& plugin);
    void read_targets();
    std::string serve_kind(const Target& target);
    void note(const Result<void>& done);
    void create(std::string_view resource, const std::string& ns, boost::json::object object);
    void create_objects();
    void create_pods(const char* phase, std::int64_t ControllerRequest::Pods::* count);
    void create_pod(const Target& target, const std::string& name, const char* phase);
    std::vector<std::string> grants() const;

    ControllerRequest request_;
    std::string ns_, name_;
    std::vector<Target> targets_;  ///< in the Balancer's order
    std::vector<Error> troubles_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<Parts> parts_;  ///< destroyed before `host_`, whose loop it borrows
};

}  // namespace capstan::plugin_tool
