/// SimulatedAutoscaler on virtual time: look at the clouds, decide, carry out.
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
#include "engine/pass/outcome.hpp"
#include "engine/pass_time.hpp"
#include "runtime/actuator.hpp"
#include "runtime/clouds.hpp"
#include "runtime/pass_cycle.hpp"
#include "simulation/decision_events.hpp"
#include "simulation/event_log.hpp"
#include "simulation/node_registrar.hpp"
#include "simulation/run.hpp"
#include "simulation/sabotage.hpp"
#include "simulation/simulated_cluster.hpp"
#include "simulation/tally.hpp"

namespace capstan::simulation {

/// The autoscaler of a simulation.
class SimulatedAutoscaler {
public:
    struct Parts {
        SimulatedCluster& world;
        NodeRegistrar& machines;
        EventLog& event_log;
        RunStatistics& statistics;
        Observer& observer;
        bool every_pass = false;        ///< also those that can come to nothing new
        std::string version{};          ///< the host's own
        std::filesystem::path state{};  ///< where its memory is kept; empty: nowhere
        /// How old a cloud's list of machines gets: what is done to it may show so much later.
        Duration lag{0};
        Sabotage sabotage = Sabotage::none;
        Duration scan_interval = std::chrono::seconds(10);
    };
    /// `looks`: moments at which something changes in the clouds unasked, ascending; nothing: it
    /// may at any time. Begins with the memory that was kept. `internal`: the configuration names
    /// an instance that is not there; `invalid_config`: the kept memory cannot be read.
    static Result<SimulatedAutoscaler> make(const runtime::config::Config& config,
                                            runtime::PluginHost& host, std::uint64_t seed,
                                            std::optional<std::vector<Time>> looks,
                                            const Parts& parts);

    /// What runs in the clouds before the first pass.
    void adopt();
    /// Looks at the clouds, and decides if that can come to anything else than the last time. The
    /// clock goes on as far as the clouds take.
    Result<void> run();
    /// What a pass would see now, by the last look at the clouds.
    runtime::PassInput input() const;
    /// When to run again even if the world stands still; nothing: not before something changes.
    /// Moments that have passed mean the next one there is.
    std::optional<Time> wanted_at() const;
    /// The same without passes that are run though nothing is known to have changed.
    std::optional<Time> needed_at() const;
    /// Something changed in the cluster.
    void wake() noexcept { has_changed_ = true; }
    /// Something may have changed in a cloud.
    void look_again();
    /// A cloud wants the next pass to begin soon.
    void want_pass();
    /// When that is; nothing: none wants it.
    const std::optional<Time>& asked_for_at() const noexcept { return asked_for_at_; }

    // What goes wrong.
    /// The autoscaler starts anew, with its memory as it was saved.
    Result<void> restart();
    /// The same after the next decision that asks for something has been carried out, and before
    /// anything of that pass is remembered.
    void restart_midway() noexcept { forgets_next_ = true; }
    /// Node changes and evictions fail from now on, or do not any more.
    void break_api(bool is_broken) noexcept { api_is_broken_ = is_broken; }
    /// An admission policy denies evictions from now on, or does not any more.
    void deny_evictions(bool are_denied) noexcept { evictions_are_denied_ = are_denied; }

    std::vector<GivenCommand> take_commands() { return told_.take_commands(); }
    const std::vector<GivenCommand>& commands() const noexcept { return told_.commands(); }
    const std::vector<UnschedulablePods>& unschedulable() const noexcept {
        return told_.unschedulable();
    }
    const std::string& skipped() const noexcept { return told_.skipped(); }
    const engine::Memory& memory() const noexcept { return memory_; }
    const std::vector<engine::Group>& groups() const noexcept { return *groups_; }
    /// NodeRegistrar that each group was asked for in all, what the last pass asked for included.
    const std::map<std::string, int>& targets() const noexcept { return targets_; }

private:
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    class Cluster;
    SimulatedAutoscaler(const runtime::config::Config& config, runtime::PluginHost& host,
                        std::uint64_t seed, const Parts& parts);

    Time now() const;
    engine::PassTime time() const;
    void look();
    Result<runtime::PassResult> decide(const runtime::PassInput& input);
    void count_asked_for(const engine::Decision& decision, const engine::Results& results);
    Result<void> carry_out(runtime::PassResult result, const runtime::PassInput& input);
    Result<void> keep(engine::Memory memory);

    runtime::PluginHost& host_;
    Parts parts_;
    engine::Settings settings_;
    std::uint64_t seed_;
    runtime::Wiring wiring_;
    std::shared_ptr<runtime::Clouds> clouds_;
    Groups groups_;
    std::shared_ptr<const std::vector<engine::CloudMachines>> machine_types_;
    engine::ToldViews told_views_{};
    engine::UnreadClouds unread_{};
    runtime::RefreshPatience patience_{};
    std::map<std::string, int> targets_;
    engine::Memory memory_;
    engine::PassTime kept_at_{};  ///< the memory
    std::optional<std::vector<Time>> looks_;
    std::optional<Time> wake_at_;
    /// By a cloud: when the next pass is to begin, and when the last one began for that reason.
    std::optional<Time> asked_for_at_, granted_at_;
    bool has_changed_ = true, wants_look_ = false;
    /// Until then clouds may show any time what was done to them; and when they were looked at
    /// last.
    Time look_until_{}, looked_at_{};
    /// The last look moved the clock: the next one is not left out, or what comes after it would
    /// come at another time.
    bool takes_time_ = false;
    bool forgets_next_ = false, api_is_broken_ = false, evictions_are_denied_ = false;
    std::vector<std::string> problems_;  ///< of the last look
    DecisionEvents told_;
    std::optional<Saboteur> saboteur_;  ///< nothing: the autoscaler is as it ships
};

// An autoscaler's memory in a file.

/// What the file keeps, for the first pass after a start; a memory that was never used where there
/// is none, or `file` is empty. `read`: the moment of the start.
/// `invalid_config`: it is no memory.
Result<engine::Memory> load_memory(const std::filesystem::path& file, const engine::PassTime& read);
/// In place of what the file keeps, all of it or nothing. Nowhere where `file` is empty. `host`:
/// the version that writes; `written`: now.
Result<void> save_memory(const engine::Memory& memory, const std::string& host,
                         const std::filesystem::path& file, const engine::PassTime& written);
/// What a memory is at the next start: saved and read again.
Result<engine::Memory> saved_and_read(const engine::Memory& memory, const std::string& host,
                                      const engine::PassTime& written,
                                      const engine::PassTime& read);

}  // namespace capstan::simulation
