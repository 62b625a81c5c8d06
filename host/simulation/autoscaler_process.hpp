/// The autoscaler of a simulation: the loop of the daemon on virtual time, which can be restarted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "runtime/autoscaler.hpp"
#include "simulation/decision_events.hpp"
#include "simulation/event_log.hpp"
#include "simulation/node_registrar.hpp"
#include "simulation/run.hpp"
#include "simulation/run_statistics.hpp"
#include "simulation/sabotage.hpp"
#include "simulation/simulated_cluster.hpp"

namespace capstan::simulation {

/// Runs runtime::Autoscaler against the simulated cluster. Leaves out the decision of a pass if
/// nothing has changed since the last one. Borrows its parts and the plugin host. Used on one
/// thread.
class AutoscalerProcess final : runtime::PassVisitor {
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
    };
    /// `cloud_changes`: moments at which the clouds change by themselves, ascending; absent: they
    /// may change at any time. Begins with the memory in `parts.state`. `internal`: the
    /// configuration names an instance that does not exist; `invalid_config`: the saved memory
    /// cannot be read.
    static Result<std::unique_ptr<AutoscalerProcess>> make(
        runtime::config::Config config, runtime::PluginHost& host, std::uint64_t seed,
        std::optional<std::vector<Time>> cloud_changes, const Parts& parts);
    AutoscalerProcess(const AutoscalerProcess&) = delete;
    AutoscalerProcess& operator=(const AutoscalerProcess&) = delete;
    ~AutoscalerProcess() override;

    /// Refreshes the clouds and hands the machines that run at the start to the registrar.
    void adopt();
    /// Runs one pass: refreshes the clouds, and decides and acts if anything has changed, or if the
    /// wake-up time of the last decision has come. Moves the clock by the time that calls to the
    /// clouds take.
    Result<void> run();
    /// The input that a pass would get now, with the clouds as of the last refresh.
    Result<runtime::PassInput> input() { return autoscaler_->input(); }
    /// When to run the next pass even if nothing changes in the cluster; absent: not before
    /// something changes. A moment in the past means the next multiple of the scan interval.
    std::optional<Time> wanted_at() const;
    /// Like wanted_at(), but leaves out passes that run although nothing is known to have changed.
    std::optional<Time> needed_at() const;
    /// To be called when something changed in the cluster.
    void wake() noexcept { has_changed_ = true; }
    /// To be called when something may have changed in a cloud.
    void refresh_again();
    /// A cloud wants the next pass to begin soon.
    void request_pass();
    /// When the requested pass may begin; absent: none is requested.
    const std::optional<Time>& requested_pass_at() const noexcept { return requested_pass_at_; }

    // Faults.
    /// Restarts the autoscaler with its memory as it was last saved.
    Result<void> restart();
    /// Requests a restart within a pass: once the next decision with at least one action has been
    /// carried out, before the results are remembered.
    void restart_midway() noexcept { forgets_next_ = true; }
    /// Sets whether node changes and evictions fail.
    void break_api(bool is_broken) noexcept { api_is_broken_ = is_broken; }
    /// Sets whether an admission policy denies evictions.
    void deny_evictions(bool are_denied) noexcept { evictions_are_denied_ = are_denied; }

    std::vector<GivenCommand> take_commands() { return decision_events_.take_commands(); }
    const std::vector<GivenCommand>& commands() const noexcept {
        return decision_events_.commands();
    }
    const std::vector<UnschedulablePods>& unschedulable() const noexcept {
        return decision_events_.unschedulable();
    }
    const std::string& skipped() const noexcept { return decision_events_.skipped(); }
    const engine::Memory& memory() const noexcept { return autoscaler_->memory(); }
    const std::vector<engine::Group>& groups() const noexcept { return *groups_; }
    /// The target size of each group, including what the last pass asked for.
    const std::map<std::string, int>& targets() const noexcept { return targets_; }

private:
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    class Cluster;
    AutoscalerProcess(runtime::PluginHost& host, const Parts& parts);

    Time now() const;
    engine::PassTime time() const;

    void on_refresh(const runtime::CloudsView& view, const Groups& groups) override;
    void on_decision(const runtime::PassReport& pass) override;
    void on_results(const runtime::PassReport& pass) override;
    bool may_leave_out() const;
    Result<runtime::PassResult> decide(const runtime::PassInput& input,
                                       runtime::instances::PassThread& thread);
    void keep(const engine::Memory& memory, runtime::MemoryStage stage);
    void save(const engine::Memory& memory, const engine::Memory& before);
    void count_asked_for(const engine::Decision& decision, const engine::Results& results);
    void report_results(const runtime::PassReport& pass);

    runtime::PluginHost& host_;
    Parts parts_;
    runtime::RefreshPatience patience_{};
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<runtime::Autoscaler> autoscaler_{};
    Groups groups_{};
    std::map<std::string, int> targets_{};
    engine::Memory saved_{};
    engine::PassTime saved_at_{};
    Result<void> saving_{};  ///< an error of the last saves
    std::optional<std::vector<Time>> cloud_changes_{};
    std::optional<Time> wake_at_{};
    /// When the pass that a cloud requested may begin, and when the last requested pass began.
    std::optional<Time> requested_pass_at_{}, granted_at_{};
    bool has_changed_ = true, wants_refresh_ = false;
    /// The lists of the clouds may show a change late, until `refresh_until_`. `refreshed_at_`: the
    /// last refresh.
    Time refresh_until_{}, refreshed_at_{};
    /// The last refresh moved the clock, or a cloud was slow or failed. The next refresh must then
    /// not be left out, since it may move the clock, too.
    bool takes_time_ = false;
    bool forgets_next_ = false;
    bool forgets_now_ = false;  ///< the results of the pass that is running
    bool api_is_broken_ = false, evictions_are_denied_ = false;
    std::vector<std::string> problems_{};  ///< of the last refresh
    DecisionEvents decision_events_;
    std::optional<Saboteur> saboteur_{};  ///< absent: no defect is injected
};

}  // namespace capstan::simulation
