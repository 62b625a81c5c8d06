/// One pass: from what is to what should be done about it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/parts.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/expander_chain.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

/// A group source, under the name it has in the configuration.
struct NamedSource {
    std::string name;
    GroupSource* source;
};

/// Who is asked; everything borrowed for the time of the pass.
struct Policies {
    std::vector<Stage> chain;
    std::vector<NamedCheck> similarity;
    Splitter* splitter = nullptr;  ///< NULL: an option's nodes all go to its own group
    /// Groups are made where there is one of these, a maker, and a cloud with machines to offer.
    std::vector<NamedSource> group_sources{};
    GroupMaker* maker = nullptr;
    PartListener* parts = nullptr;  ///< is told, and decides nothing; NULL: nobody is
};

/// What metrics tell of a pass and nobody decides on.
struct PassFigures {
    std::uint32_t untried_pods = 0;   ///< that count before their scheduler has tried them
    std::uint32_t left_out_pods = 0;  ///< since a pass considers no more than so many
    /// Totals over the cluster, "cpu", by name: how many groups could not grow for their maximum,
    /// how many nodes could not go for their minimum.
    std::map<std::string, int> at_maximum{}, at_minimum{};
    /// Whether nodes were looked at as to their removal; nothing of it is done in an unhealthy
    /// cluster.
    bool looked_at_nodes = false;
};

struct Outcome {
    Decision decision;
    Memory memory;
    /// When to decide again even if nothing changes: a back-off ends, a pod grows old enough.
    /// Nothing: not before something changes. Once the decision is carried out, find_next_step
    /// (removal/results.hpp) says when what came of it is due.
    std::optional<Time> wake_at;
    PassFigures figures{};
};

/// Same arguments, same outcome, byte for byte. Keeps nothing of its arguments.
Outcome run_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                 const Settings& settings, const Circumstances& circumstances);

/// What to save before a decision is carried out, for a host that dies in the middle of it: the
/// memory of before, what the nodes are for that are about to be ordered, which groups are about to
/// be made, and which are left alone for what the pass has found. That it was done the clouds will
/// say, though maybe not at once; whom for only this.
Memory remember_plan(Memory before, const Outcome& outcome, const Settings& settings, Time now);

/// What became of a decision's actions: groups that are to come, requests that were taken, groups
/// that refused and are left alone for a while, steps of removals that are done or failed.
/// `results` is in the order of the decision, or empty for actions that were not carried out.
Memory remember_results(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now);

}  // namespace capstan::engine
