/// A cluster in this process: an API server, a control plane and the whole daemon, on virtual time.
/// Two machines run at the start: web-1 with the pod a-1, which nearly fills it, and web-2 with the
/// small pod b-1. Then p-1 is created, which needs its own machine, and h-1, for which no machine
/// is large enough. The daemon requests a machine, finds that web-2 is unneeded, taints it, evicts
/// b-1 and removes the machine. Meanwhile all watches are cut once and the history is discarded,
/// and objects of all other kinds are replaced, once while no watch is open and once while the
/// watches are open.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/daemon.hpp"
#include "cluster_objects.hpp"
#include "simulator/api_server/local_http_client.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::faults {

/// The changes of the cluster since the start.
struct Record {
    std::map<std::string, int> marks;  ///< by "NODE TAINT" or "NODE cordon": how often it was set
    std::vector<std::string> evicted;  ///< pods that began to terminate, in this order
    std::set<std::string> nodes;       ///< all nodes that ever existed
    std::vector<Time> removals;        ///< when the cloud was asked to remove machines
    int ordered = 0;                   ///< machines that the cloud agreed to create
    std::optional<int> least_target;   ///< the lowest target of the group in any pass
    std::shared_ptr<const autoscaler::PassReport> last_pass;
    int passes = 0;
    int changes = 0;  ///< writes that daemons requested, without those of the Lease
    int daemons = 0;  ///< daemons that were started

    /// How often a node got the taint `mark_taint`.
    int times_marked() const;
};

/// Settings of the daemon, TOML unless noted otherwise.
struct DaemonFixtureSettings {
    std::string unneeded_time = "1m";  ///< a duration
    std::string scale_down{};          ///< further keys of [scale_down]
    std::string cloud{};               ///< keys of the simulated cloud
    std::string group{};               ///< keys of its group
    std::string log_level = "error";
};

class DaemonFixture {
public:
    explicit DaemonFixture(const DaemonFixtureSettings& settings = {});
    DaemonFixture(const DaemonFixture&) = delete;
    DaemonFixture& operator=(const DaemonFixture&) = delete;
    ~DaemonFixture();

    simulator::api_server::ApiServer& server() { return *server_; }
    simulator::api_server::ObjectStore& store() { return *store_; }
    simulator::api_server::LocalHttpClient& network() { return *network_; }
    io::Loop& loop() { return host_->loop(); }
    const plugin_runtime::services::Metrics& metrics() { return host_->metrics(); }
    /// Called before a request of the daemon is sent.
    std::function<void(const io::ServedRequest&)> on_request{};

    /// Calls `what` at that time after the start.
    void at(Duration when, std::function<void()> what);
    /// Runs a daemon until that time after the start. `check` is called at the end, before the
    /// daemon is stopped. If the daemon is killed before, another one is started. A second call
    /// runs the next daemon.
    void run(Duration until, const std::function<void()>& check);
    /// Kills the daemon at its write number `change`, counted from 0 without those of the Lease:
    /// after the server has carried the write out if `is_carried_out`, otherwise before.
    void kill_at(int change, bool is_carried_out);
    /// Reloads the initial configuration with `more` appended, as SIGHUP does.
    void reload(const std::string& more);
    /// Advances the time without a daemon.
    void pass_time(Duration by) { host_->virtual_loop()->advance(by); }
    const Record& record() const { return record_; }
    /// The Events of daemons.
    std::vector<simulator::api_server::ApiObject> events() const;

private:
    void run_daemon();
    Result<std::shared_ptr<const autoscaler::daemon::LoadedConfig>> read_config();
    void record_request(const io::ServedRequest& request);
    void record_pass(const autoscaler::PassReport& pass);
    void kill(bool is_carried_out);
    void add_initial_objects();
    void add_first_pods();
    void add_pending_pods();
    void replace_objects(const char* from, const char* to);
    void watch_nodes();
    void watch_pods();

    plugin_runtime::TemporaryFolder folder_;
    std::string config_text_;
    std::unique_ptr<autoscaler::Assembly> assembly_, reloaded_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<simulator::api_server::ObjectStore> store_;
    std::unique_ptr<simulator::api_server::ApiServer> server_;
    std::unique_ptr<simulator::api_server::LocalHttpClient> network_;
    std::unique_ptr<simulator::control_plane::ControlPlane> control_plane_;
    std::unique_ptr<simulator::api_server::Subscription> node_subscription_, pod_subscription_;
    std::function<void()> on_change_{};
    Record record_;
};

/// The taint of nodes that are being removed.
inline constexpr const char* mark_taint = "ToBeDeletedByClusterAutoscaler";
/// The soft taint of candidates for a removal.
inline constexpr const char* hint_taint = "DeletionCandidateOfClusterAutoscaler";

}  // namespace capstan::faults
