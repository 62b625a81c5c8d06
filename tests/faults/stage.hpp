/// A cluster in this process: an API server, those who are at work in it, and the whole daemon, on
/// virtual time.
///
/// Two machines run at the start, web-1 with the pod a-1 that fills it but for a little, and web-2
/// with b-1 that asks for little. Then p-1 comes, which needs a machine of its own. So a machine is
/// ordered, and web-2 is found to be unneeded: it is marked, b-1 is evicted, and its machine is
/// removed. h-1 comes as well, for which no machine is large enough. Meanwhile all watches are cut
/// once and the history is forgotten, and objects of all other kinds are exchanged, once while no
/// watch is open and once while the watches are open.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hands.hpp"
#include "runtime/assembly.hpp"
#include "runtime/daemon/daemon.hpp"
#include "simulation/api_server/local_http_client.hpp"

namespace capstan::faults {

/// What was done to the cluster, as it was seen from within.
struct Record {
    std::map<std::string, int> marks;  ///< "web-2 ToBeDeleted...": how often it was put on
    std::vector<std::string> evicted;  ///< pods that were told to go, in their order
    std::set<std::string> nodes;       ///< all there have ever been
    std::vector<Time> removals;        ///< when the cloud was asked to remove machines
    int ordered = 0;                   ///< machines that the cloud agreed to make
    std::optional<int> least_target;   ///< of the group, as the cloud ever told it
    std::shared_ptr<const runtime::daemon::PassReport> last_pass;
    int passes = 0;
    int changes = 0;  ///< that daemons asked for, but for the Lease
    int daemons = 0;  ///< that have begun

    /// How often one of the nodes was marked as to be deleted.
    int times_marked() const;
};

/// What may be told otherwise; TOML where it is not said.
struct StageSettings {
    std::string unneeded_time = "1m";  ///< how long a node is unneeded before it may go
    std::string scale_down{};          ///< more of [scale_down]
    std::string cloud{};               ///< of the simulated cloud
    std::string group{};               ///< of its group
};

class Stage {
public:
    explicit Stage(const StageSettings& settings = {});
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage();

    simulation::api_server::ApiServer& server() { return *server_; }
    simulation::api_server::ObjectStore& store() { return *store_; }
    simulation::api_server::LocalHttpClient& network() { return *network_; }
    io::Loop& loop() { return host_->loop(); }
    /// Before a request leaves.
    std::function<void(const io::ServedRequest&)> on_request{};

    /// `what` at that time after the start.
    void at(Duration when, std::function<void()> what);
    /// A daemon runs until so long after the start; at its end, but before it is told to stop,
    /// `look` is called. Where it dies meanwhile another one begins. Twice: they follow each other.
    void run(Duration until, const std::function<void()>& look);
    /// A daemon dies as it makes its change number `change` to the cluster, the first being 0,
    /// renewals of the Lease not counted: before the server has it, or after.
    void kill_at(int change, bool is_carried_out);
    /// Without the daemon.
    void pass_time(Duration by) { host_->virtual_loop()->advance(by); }
    const Record& record() const { return record_; }

private:
    void live();
    void see_request(const io::ServedRequest& request);
    void see_pass(const runtime::daemon::PassReport& pass);
    void kill(bool is_carried_out);
    void furnish();
    void add_companion();
    void add_demand();
    void exchange_things(const char* from, const char* to);
    void watch_nodes();
    void watch_pods();

    runtime::TemporaryFolder folder_;
    std::unique_ptr<runtime::Assembly> assembly_;
    std::unique_ptr<runtime::PluginHost> host_;
    std::unique_ptr<simulation::api_server::ObjectStore> store_;
    std::unique_ptr<simulation::api_server::ApiServer> server_;
    std::unique_ptr<simulation::api_server::LocalHttpClient> network_;
    std::unique_ptr<Hands> hands_;
    std::unique_ptr<simulation::api_server::Subscription> seen_nodes_, seen_pods_;
    std::function<void()> on_change_{};
    Record record_;
};

/// On nodes that are being removed.
inline constexpr const char* mark_taint = "ToBeDeletedByClusterAutoscaler";
/// On nodes that may be removed one day.
inline constexpr const char* hint_taint = "DeletionCandidateOfClusterAutoscaler";

}  // namespace capstan::faults
