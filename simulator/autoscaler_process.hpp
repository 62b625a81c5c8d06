/// The autoscaler of a simulation: the loop of the daemon on virtual time, which can be restarted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "autoscaler/autoscaler.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "simulator/decision_events.hpp"
#include "simulator/event_log.hpp"
#include "simulator/external_events.hpp"
#include "simulator/node_registrar.hpp"
#include "simulator/run.hpp"
#include "simulator/run_statistics.hpp"
#include "simulator/sabotage.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// Runs autoscaler::Autoscaler against the simulated cluster, as the daemon runs it against an API
/// server. Borrows its parts and the plugin host. Used on one thread.
class AutoscalerProcess final : autoscaler::PassVisitor {
public:
    struct Parts {
        SimulatedCluster& cluster;
        NodeRegistrar& node_registrar;
        EventLog& event_log;
        RunStatistics& statistics;
        Observer& observer;
        bool every_pass = false;        ///< also runs passes that could decide nothing new
        std::string version{};          ///< of the host
        std::filesystem::path state{};  ///< the file its memory is saved to; empty: not saved
        /// How old a cloud's list of machines can be: a change may appear in it that much later.
        Duration lag{0};
        Sabotage sabotage = Sabotage::none;
        Duration scan_interval = std::chrono::seconds(10);
        engine::Memory memory{};  ///< what it begins with if no memory is saved
    };
    /// `cloud_changes`: moments at which the clouds change by themselves, ascending; absent: they
    /// may change at any time. Begins with the memory in `parts.state`. `internal`: the
    /// configuration names an instance that does not exist; `invalid_config`: the saved memory
    /// cannot be read.
    static Result<std::unique_ptr<AutoscalerProcess>> make(
        config::Config config, autoscaler::PluginHost& host, std::uint64_t seed,
        std::optional<std::vector<Time>> cloud_changes, const Parts& parts);
    AutoscalerProcess(const AutoscalerProcess&) = delete;
    AutoscalerProcess& operator=(const AutoscalerProcess&) = delete;
    ~AutoscalerProcess() override;

    /// Refreshes the clouds and hands the machines that run at the start to the registrar.
    void adopt();
    /// Runs one pass. Moves the clock by the time that calls to the clouds take. A pass that could
    /// not look at the cluster is an event; any other error ends the run.
    Result<void> run();
    /// The input that a pass would get now, with the clouds as of the last refresh.
    Result<autoscaler::PassInput> input() { return autoscaler_->input(); }
    /// When to run the next pass even if nothing changes in the cluster; absent: not before
    /// something changes, or another process leads. A moment in the past means the next multiple
    /// of the scan interval.
    std::optional<Time> wanted_at() const;
    /// Like wanted_at(), but leaves out passes that run although nothing is known to have changed.
    std::optional<Time> needed_at() const;
    /// Whether a cloud may still change by itself.
    bool may_clouds_change() const { return !cloud_changes_ || !cloud_changes_->empty(); }
    /// To be called when something changed in the cluster.
    void wake() noexcept { has_changed_ = true; }
    /// To be called when something may have changed in a cloud.
    void refresh_again();
    /// A cloud wants the next pass to begin soon.
    void request_pass();
    /// When to run a pass before the next multiple of the scan interval: a cloud requested it or
    /// answered late, or the last pass asked for another at once. Absent: not before.
    std::optional<Time> early_pass_at() const;
    /// Another configuration is in force from the next pass on.
    Result<void> reload(const Reload& reload);

    // Faults.
    /// Restarts the autoscaler with its memory as it was last saved.
    Result<void> restart();
    /// Restarts the autoscaler with no memory.
    Result<void> restart_without_memory();
    /// Restarts the autoscaler with the memory that was last saved old_memory_age ago or earlier;
    /// with none if there is no such memory.
    Result<void> restart_with_old_memory();
    /// Requests a restart within a pass: once the next decision with at least one action has been
    /// carried out, before the results are remembered.
    void restart_midway() noexcept { forgets_next_ = true; }
    /// Another process holds the Lease: no pass runs.
    void lose_lease();
    /// Begins a term with the memory as it was last saved. The time since lose_lease() counts as
    /// time in which the cluster was not observed.
    Result<void> regain_lease();
    /// Sets how far its wall clock is ahead of the one of the cluster, as if it ran on another
    /// host.
    void set_skew(Duration ahead);
    Duration skew() const noexcept { return skew_; }
    /// Requests that the Lease is lost within a pass: after the next decision with at least one
    /// action. It is regained after that pass.
    void lose_lease_midway() noexcept { drops_next_ = true; }
    /// The watches of the API server are not answered from now on: passes see the cluster as it is
    /// now, and know that; when it is older than autoscaler::cluster_age_max, they fail.
    void stop_watches();
    void resume_watches();
    /// Sets whether node changes and evictions fail.
    void break_api(bool is_broken) noexcept { api_is_broken_ = is_broken; }
    /// Sets whether an admission policy denies evictions.
    void deny_evictions(bool are_denied) noexcept { evictions_are_denied_ = are_denied; }
    /// Sets whether the memory cannot be saved: a restart then begins with an older one.
    void refuse_memory(bool is_refused) noexcept { memory_is_refused_ = is_refused; }

    /// Sets the bytes that a saved memory may have; absent: any number. Parts of a larger one are
    /// left out. If it is too large even then, it cannot be saved.
    void limit_memory(std::optional<std::size_t> room) noexcept { memory_room_ = room; }
    /// The plugins with hooks that passes call; not empty.
    std::vector<PluginInstanceId> deciding_plugins() const;
    /// Sets whether the decision hooks of the plugin fail: passes skip them. In a live process
    /// passes do that with hooks that exceed their deadline, and treat errors of hooks alike.
    void fail_plugin(const PluginInstanceId& plugin, bool fails);

    std::vector<GivenCommand> take_commands() { return decision_events_.take_commands(); }
    const std::vector<GivenCommand>& commands() const noexcept {
        return decision_events_.commands();
    }
    const std::vector<UnschedulablePods>& unschedulable() const noexcept {
        return decision_events_.unschedulable();
    }
    const std::string& need_no_node() const noexcept { return decision_events_.need_no_node(); }
    const engine::Memory& memory() const noexcept { return autoscaler_->memory(); }
    const std::vector<engine::Group>& groups() const noexcept { return *groups_; }
    /// The target size of each group, including what the last pass asked for.
    const std::map<std::string, int>& targets() const noexcept { return targets_; }

private:
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    class Cluster;
    AutoscalerProcess(config::Config config, autoscaler::PluginHost& host, const Parts& parts);

    Time now() const;
    engine::PassTime time() const;

    void on_refresh(const autoscaler::CloudsView& view, const Groups& groups) override;
    void on_decision(const autoscaler::PassReport& pass) override;
    void on_results(const autoscaler::PassReport& pass) override;
    void on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) override;
    void on_skip() override { has_changed_ = false; }
    void on_failure(const Error& error, Duration took) override;
    Result<engine::snapshot::Cluster> look();
    std::string unobserved_because() const;
    Result<void> may_act() const;
    void on_late_answer();
    Result<void> begin_again(std::optional<Time> unobserved_since);
    Result<autoscaler::PassResult> decide(const autoscaler::PassInput& input,
                                          plugin_runtime::instances::PassThread& thread);
    Result<void> keep(const engine::Memory& memory, autoscaler::MemoryStage stage);
    Result<void> save(const engine::Memory& memory);
    Result<engine::Memory> fit_memory(const engine::Memory& memory) const;
    void add_facts(const engine::Decision& decision, const engine::Results& results);
    void set_aside();
    void count_asked_for(const engine::Decision& decision, const engine::Results& results);

    /// Ends with this object, unlike the refreshes of clouds, which may be answered after it.
    std::shared_ptr<const bool> lives_ = std::make_shared<const bool>(true);
    autoscaler::PluginHost& host_;
    Parts parts_;
    config::Config config_;
    autoscaler::RefreshPatience patience_{};
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<autoscaler::Autoscaler> autoscaler_{};
    Groups groups_{};
    std::map<std::string, int> targets_{};
    engine::Memory saved_{};  ///< what a restart begins with
    engine::Memory kept_{};   ///< the last memory that was to be saved; saved_ may lack parts of it
    engine::PassTime saved_at_{};
    /// A memory as it was saved, and when.
    struct OlderMemory {
        engine::Memory memory{};
        engine::PassTime at{};
    };
    /// Ascending by time. The first is the one to restart with as an old memory.
    std::deque<OlderMemory> older_{};
    Result<void> saving_{};  ///< an error of the last saves
    std::optional<std::vector<Time>> cloud_changes_{};
    /// When the pass that a cloud requested may begin, and when the last requested pass began.
    std::optional<Time> requested_pass_at_{}, granted_at_{};
    /// When a cloud answered late, or the last pass asked for another at once.
    std::optional<Time> next_step_at_{};
    bool has_changed_ = true, wants_refresh_ = false;
    /// The lists of the clouds may show a change late, until `refresh_until_`. `refreshed_at_`: the
    /// last refresh.
    Time refresh_until_{}, refreshed_at_{};
    /// The last refresh moved the clock, or a cloud was slow or failed. The next refresh must then
    /// not be left out, since it may move the clock, too.
    bool takes_time_ = false;
    bool forgets_next_ = false;
    bool forgets_now_ = false;             ///< the results of the pass that is running
    std::optional<Time> lost_lease_at_{};  ///< absent: this process leads
    Duration skew_{0};                     ///< see skew()
    bool drops_next_ = false;
    bool drops_now_ = false;  ///< the decision of the pass that is running
    /// The cluster when the watches stopped, and when that was; absent: they are answered.
    std::optional<engine::snapshot::Cluster> stale_{};
    Time stale_since_{};
    bool is_failing_ = false;  ///< the last pass could not look at the cluster
    bool api_is_broken_ = false, evictions_are_denied_ = false, memory_is_refused_ = false;
    bool is_unsaved_ = false;  ///< the last save was refused
    std::optional<std::size_t> memory_room_{};
    std::set<PluginInstanceId> failing_plugins_{};
    DecisionEvents decision_events_;
    std::optional<Saboteur> saboteur_{};  ///< absent: no defect is injected
};

}  // namespace capstan::simulator
