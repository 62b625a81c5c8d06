/// A pass of the engine with plugins to ask, which cannot hold it up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "engine/pass/explain.hpp"
#include "engine/pass/outcome.hpp"
#include "engine/templates/membership.hpp"
#include "runtime/group_maker.hpp"
#include "runtime/instances/pass_runner.hpp"
#include "runtime/pass_clock.hpp"
#include "runtime/wiring.hpp"

namespace capstan::runtime {

/// Groups with prices and options, and what they were made of.
struct FilledGroups {
    std::shared_ptr<const std::vector<engine::Group>> listed{};  ///< as in PassInput::snapshot
    std::shared_ptr<const std::vector<engine::Group>> filled{};  ///< as in PassResult::groups
};

/// All that a decision depends on. Copies share what is large.
struct PassInput {
    engine::Snapshot snapshot;  ///< groups as Clouds has them: prices and options are filled in
    engine::Memory memory{};
    engine::Settings settings{};
    /// Similarity and splitter are not asked, and need not be there, where settings.balance_similar
    /// is off.
    Wiring wiring{};
    /// Whose prices and options are asked, as Clouds::instances.
    std::vector<std::shared_ptr<instances::PluginInstance>> clouds{};
    engine::CallContext call_context{};
    std::vector<instances::SkippedHook>
        skipped_hooks{};  ///< hooks that are left out; see run_watched
    /// By it expanders ask their services, on the thread that calls decide(); NULL: they do not.
    PluginHost* host = nullptr;
    std::vector<instances::ExpanderAnswer>
        expander_answers{};            ///< that are known, and not asked for again
    std::vector<std::string> notes{};  ///< of clouds that were asked already, see PassResult
    std::vector<PlannedGroupAnswer>
        candidate_groups{};  ///< of clouds that were asked already, see PassResult
    /// Of an earlier pass: given out again, where the same comes of the same groups.
    FilledGroups earlier{};
};

struct PassResult {
    engine::pass::Outcome outcome;
    /// The groups that were decided on, with prices and options; not NULL.
    std::shared_ptr<const std::vector<engine::Group>> groups;
    std::vector<instances::SkippedHook>
        skipped_hooks;  ///< as `known_misses` they give this result again
    std::vector<instances::ExpanderAnswer> expander_answers{};  ///< likewise
    /// What clouds' prices and options failed with, also at the end of the decision's own notes.
    /// With the `groups` they give this result again where no cloud can be asked.
    std::vector<std::string> notes;
    /// What clouds said to plans of groups, likewise.
    std::vector<PlannedGroupAnswer> candidate_groups{};
    /// Of the snapshot with these `groups`; NULL: the decision was made over another one, with
    /// groups that are to come.
    std::shared_ptr<const engine::templates::Membership> membership{};
    int reruns = 0;
    PassPhaseTimes part_times{};  ///< of the run that this came of; they differ from run to run
};

/// Decides a pass by the engine on `thread` and waits for it. Equal inputs, equal results, byte for
/// byte. What a cloud's prices or options fail with becomes a note of the decision. The error: an
/// instance of the wiring cannot be asked at all.
Result<PassResult> decide(PassInput input, instances::PassThread& thread);
/// The same on a thread of its own.
Result<PassResult> decide(PassInput input);

/// What to ask about a pass; none of it: the matrix of all pending classes and all groups.
struct PassQuestion {
    std::optional<engine::snapshot::PodGroupId> equivalence_group{};
    std::optional<NodeGroupId> group{};
    std::optional<std::string> node{};
};
/// The one that was asked for.
struct PassAnswer {
    std::optional<engine::pass::PodAnswer> pod{};
    std::optional<engine::pass::GroupAnswer> group{};
    std::optional<engine::NodeVerdict> node{};
    std::optional<engine::pass::NodeMachine> machine{};  ///< of the node; nothing: not known
    std::optional<engine::pass::Matrix> matrix{};
    std::vector<engine::NewGroup> new_groups{};  ///< that could be made, whatever was asked
};

/// Runs the pass again to ask about it, by the answers that are known. `not_found`: there is no
/// such group or node.
Result<PassAnswer> explain(PassInput input, PassQuestion question);

}  // namespace capstan::runtime
