/// Runs a pass of the engine with plugins as its policies. A plugin that does not return cannot
/// hold the pass up: see instances/pass_runner.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/group_maker.hpp"
#include "autoscaler/pass_clock.hpp"
#include "autoscaler/wiring.hpp"
#include "engine/pass/explain.hpp"
#include "engine/pass/outcome.hpp"
#include "engine/templates/membership.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::autoscaler {

/// Groups with prices and options, and the list that they were made from.
struct FilledGroups {
    std::shared_ptr<const std::vector<engine::Group>> listed{};  ///< as in PassInput::snapshot
    std::shared_ptr<const std::vector<engine::Group>> filled{};  ///< as in PassResult::groups
};

/// Everything that a decision depends on. Copies share large values.
struct PassInput {
    engine::Snapshot snapshot;  ///< groups as Clouds has them; the pass fills in prices and options
    engine::Memory memory{};
    engine::Settings settings{};
    /// Without settings.balance_similar, similarity checks and splitter are not called and may be
    /// missing.
    Wiring wiring{};
    /// The clouds that are asked for prices and options, as Clouds::instances gives them.
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> clouds{};
    engine::CallContext call_context{};
    /// Hooks that the pass skips from the beginning; see run_watched.
    std::vector<plugin_runtime::instances::SkippedHook> skipped_hooks{};
    /// Expanders ask their services through it, on the thread that calls decide(). NULL: services
    /// are not asked.
    PluginHost* host = nullptr;
    /// Answers of services that are not asked for again.
    std::vector<policies::ExpanderAnswer> expander_answers{};
    std::vector<std::string> notes{};  ///< those of a recorded pass, see PassResult
    /// Answers of clouds that are not asked for again, see PassResult.
    std::vector<PlannedGroupAnswer> candidate_groups{};
    /// Of an earlier pass: its list is used again if the same groups get the same prices and
    /// options.
    FilledGroups earlier{};
};

struct PassResult {
    engine::pass::Outcome outcome;
    /// The groups that were decided on, with prices and options; not NULL.
    std::shared_ptr<const std::vector<engine::Group>> groups;
    // These four are inputs of a replay: a pass that gets them, and `groups`, has this result again
    // and asks no cloud and no service.
    std::vector<plugin_runtime::instances::SkippedHook> skipped_hooks;
    std::vector<policies::ExpanderAnswer> expander_answers{};
    /// Errors of clouds that were asked for prices and options, and ignored prices in other
    /// currencies. They are also at the end of the decision's own notes.
    std::vector<std::string> notes;
    std::vector<PlannedGroupAnswer> candidate_groups{};
    /// Of the snapshot with these `groups`. NULL: the decision was made on another snapshot, which
    /// has groups that are being created.
    std::shared_ptr<const engine::templates::Membership> membership{};
    int reruns = 0;
    PassPhaseTimes part_times{};  ///< of the last run; they differ each time
};

/// Has the engine decide on `thread` and waits for the result. Equal inputs give equal results,
/// byte for byte. An error of a cloud that is asked for prices or options becomes a note of the
/// decision. Fails if an instance of the wiring cannot be called at all.
Result<PassResult> decide(PassInput input, plugin_runtime::instances::PassThread& thread);
/// The same on a thread of its own.
Result<PassResult> decide(PassInput input);

/// A question about a pass. If no member is set, it asks for the matrix of all pending pod
/// equivalence groups and all node groups.
struct PassQuestion {
    std::optional<engine::PodGroupId> equivalence_group{};
    std::optional<engine::PodIndex> pod{};  ///< an unbound pod of that group; absent: any
    std::optional<NodeGroupId> group{};
    std::optional<std::string> node{};
};
/// The answer to a PassQuestion: the member that was asked for is set.
struct PassAnswer {
    std::optional<engine::pass::PodAnswer> pod{};
    std::optional<engine::pass::GroupAnswer> group{};
    std::optional<engine::NodeVerdict> node{};
    std::optional<engine::pass::NodeMachine> machine{};  ///< of the node; absent: not known
    std::string node_remedy{};                           ///< empty: none
    std::string node_state{};         ///< "not ready for 10m"; empty: the node is ready
    std::string unhealthy_because{};  ///< why the cluster is unhealthy; empty: healthy; always set
    std::optional<engine::pass::Matrix> matrix{};
    std::vector<engine::NewGroup> new_groups{};  ///< groups that could be created; always set
};

/// Runs the pass again with the answers in `input`, and answers the question. `not_found`: there is
/// no such group or node.
Result<PassAnswer> explain(PassInput input, PassQuestion question);

}  // namespace capstan::autoscaler
