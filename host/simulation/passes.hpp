/// Passes on virtual time: look at the clouds, decide, carry out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/pass.hpp"
#include "runtime/actuator.hpp"
#include "runtime/clouds.hpp"
#include "runtime/pass_cycle.hpp"
#include "simulation/machines.hpp"
#include "simulation/run.hpp"
#include "simulation/story.hpp"
#include "simulation/tally.hpp"
#include "simulation/world.hpp"

namespace capstan::simulation {

/// Pods for which the last pass could do nothing.
struct Unhelped {
    std::string batch{};
    std::uint32_t count = 0;
    std::string because{};
    std::map<std::string, std::string> in_group{};  ///< the sentence of each group
};

class Passes {
public:
    struct Parts {
        World& world;
        Machines& machines;
        Story& story;
        Tally& tally;
        Observer& observer;
        bool every_pass = false;  ///< also those that can come to nothing new
    };
    /// `looks`: moments at which something changes in the clouds that nobody asked for, ascending;
    /// nothing: it may at any time. `internal`: the configuration names an instance that is not
    /// there.
    static Result<Passes> make(const runtime::Config& config, runtime::PluginHost& host,
                               std::uint64_t seed, std::optional<std::vector<Time>> looks,
                               const Parts& parts);

    /// What runs in the clouds before the first pass.
    void adopt();
    /// Looks at the clouds, and decides if that can come to anything else than the last time. The
    /// clock goes on as far as the clouds take.
    Result<void> run();
    /// When to run again even if the world stands still; nothing: not before something changes.
    /// Moments that have passed mean the next one there is.
    std::optional<Time> wanted_at() const;
    /// The same without passes that are run though nothing is known to have changed.
    std::optional<Time> needed_at() const;
    /// Something changed in the cluster.
    void wake() noexcept { has_changed_ = true; }
    /// Something may have changed in a cloud.
    void look_again() noexcept { wants_look_ = true; }

    /// What the clouds were asked for since the last call, in order.
    std::vector<std::string> take_commands();
    const std::vector<Unhelped>& unhelped() const noexcept { return unhelped_; }
    /// Why the last pass did not look at the other pods without a node: "fit on existing or
    /// upcoming nodes"; several reasons are joined by "or".
    const std::string& skipped() const noexcept { return skipped_; }
    const engine::Memory& memory() const noexcept { return memory_; }
    const std::vector<engine::Group>& groups() const noexcept { return *groups_; }

private:
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    Passes(const runtime::Config& config, runtime::PluginHost& host, std::uint64_t seed,
           const Parts& parts);

    Time now();
    void look();
    void note(const std::vector<std::string>& notes);
    void tell(const runtime::PassResult& result);
    void carry_out(const engine::Outcome& outcome, const engine::Circumstances& circumstances);

    runtime::PluginHost& host_;
    Parts parts_;
    engine::Settings settings_;
    std::uint64_t seed_;
    runtime::Wiring wiring_;
    std::shared_ptr<runtime::Clouds> clouds_;
    Groups groups_;
    engine::Memory memory_;
    std::vector<runtime::HookMiss> misses_;
    std::optional<std::vector<Time>> looks_;
    std::optional<Time> wake_at_;
    bool has_changed_ = true, wants_look_ = false;
    std::vector<std::string> problems_;  ///< of the last look
    std::set<std::string> noted_;        ///< in the last pass
    std::vector<Unhelped> unhelped_;
    std::string skipped_;
    std::vector<std::string> commands_;
};

}  // namespace capstan::simulation
