/// The abstract policies that the engine calls. A plugin, a test or a remote service may implement
/// them; the engine cannot tell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/pod.hpp>
#include <capstan/result.hpp>
#include <capstan/scale_up_option.hpp>
#include <capstan/similarity.hpp>
#include <capstan/time.hpp>

#include "engine/pass_phases.hpp"
#include "engine/pass_time.hpp"

namespace capstan::engine {

/// Before CallContext::unwritten_because in a sentence.
inline constexpr std::string_view unwritten_memory = "memory cannot be written: ";

/// Everything that an answer may depend on besides the question: equal questions in equal contexts
/// get equal answers.
struct CallContext {
    std::uint64_t seed = 0;
    Time now{};  ///< the steady clock, see PassTime
    /// The wall clock; absent: the same as `now`.
    std::optional<Time> wall{};
    bool dry_run = false;
    bool simulation = false;
    /// Why the view of nodes, pods and budgets is not current but a little old: then nothing is
    /// removed. Empty: the view is current.
    std::string unobserved_because{};
    /// Scale-up ends after this many searches for options, because it did so when the pass was
    /// recorded (PassFigures::searches_in_time). Absent: Policies::time_limit decides.
    std::optional<int> searches_max{};
    /// Why Memory could not be written last: then no removal begins, and nothing is ordered until a
    /// write succeeds. Empty: it was written.
    std::string unwritten_because{};

    PassTime time() const noexcept { return {now, wall.value_or(now)}; }
};

/// The scale-up options, ordered by group id, and the pods that they are for.
struct ScaleUpQuestion {
    std::vector<ScaleUpOption> options;
    std::vector<PodEquivalenceGroup> pods;
    std::uint32_t cluster_nodes = 0;
};

/// The options that one expander keeps.
struct FilterResult {
    struct Kept {
        std::uint32_t option = 0;  ///< index into the question's options
        double score = 0;          ///< for the explanation only
        bool operator==(const Kept&) const = default;
    };
    std::vector<Kept> kept;              ///< ascending by index, each once
    std::vector<std::string> sentences;  ///< the expander's own explanation
};

class Expander {
public:
    virtual ~Expander() = default;
    /// `among`: the options to choose from, as ascending indices into the question's options, at
    /// least one. The result may keep none of them.
    virtual Result<FilterResult> filter(const ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const CallContext& call_context) = 0;
};

class SimilarityCheck {
public:
    virtual ~SimilarityCheck() = default;
    virtual Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                                       const CallContext& call_context) = 0;
    /// Whether the check may answer `decided`. Then templates of different buckets may be similar
    /// all the same.
    virtual bool may_decide() const = 0;
    /// Templates in different buckets differ for this check. `unsupported`: it has no buckets.
    virtual Result<std::uint64_t> bucket(const NodeTemplate& node,
                                         const CallContext& call_context) = 0;
    /// Templates of equal equivalence are interchangeable: `similar` gives them the same verdict
    /// with any other template. `unsupported`: the check does not tell.
    virtual Result<std::uint64_t> equivalence(const NodeTemplate&, const CallContext&) {
        return fail(ErrorCode::unsupported, "this check does not tell which templates are equal");
    }
};

class Splitter {
public:
    virtual ~Splitter() = default;
    /// How many nodes each group grows by, in the order of `groups` (by id). No group goes beyond
    /// its maximum, and the sum is at most `nodes`.
    virtual Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                           const CallContext& call_context) = 0;
};

/// Asks which groups could be made of one cloud's machines. Everything is borrowed for the call.
struct GroupsQuestion {
    struct Existing {
        const NodeGroup* group = nullptr;    ///< never NULL
        const NodeTemplate* node = nullptr;  ///< NULL: unknown
    };
    std::span<const PodEquivalenceGroup>
        pods;                               ///< pods that fit on no node that is there or upcoming
    std::span<const MachineType> machines;  ///< by name
    std::span<const Existing> existing;     ///< of all clouds, by id
    /// How much the cluster may still grow within its limits; "nodes" and "gpu" are among the
    /// names. A resource that is missing has no limit.
    Resources room;
    PluginInstanceId cloud{};  ///< the cloud of `machines`
};

struct GroupsAnswer {
    struct Suggestion {
        GroupPlan plan{};
        std::string because{};
    };
    struct LeftOut {
        std::string machine_type{}, because{};
    };
    std::vector<Suggestion> groups{};  ///< names are unique; each plan has an offering
    std::vector<LeftOut> left_out{};   ///< the type closest to fitting the pods first
    /// The maximum number of groups in the cluster; absent: no limit.
    std::optional<int> most_groups{};
    std::vector<std::string> sentences{};  ///< the source's own explanation
};

class GroupSource {
public:
    virtual ~GroupSource() = default;
    virtual Result<GroupsAnswer> suggest(const GroupsQuestion& question,
                                         const CallContext& call_context) = 0;
    /// Whether this source suggested the group, which its cloud marks as autoprovisioned.
    virtual Result<bool> owns(const NodeGroup& group, const CallContext& call_context) = 0;
};

/// A group that could be made, as its cloud describes it.
struct CandidateGroup {
    PlannedGroup planned{};
    GroupOptions options{};
    std::optional<double> price_per_hour{};  ///< of one node; absent: the offering's price
};

/// Asks clouds which group they would make of a plan.
class GroupMaker {
public:
    virtual ~GroupMaker() = default;
    /// `unsupported`: the cloud does not make such a group; this is no error to report.
    virtual Result<CandidateGroup> new_group(const PluginInstanceId& cloud, const GroupPlan& plan,
                                             const CallContext& call_context) = 0;
};

/// What happens if a stage fails or keeps no option.
enum class StageFallback {
    skip,  ///< its input goes to the next stage, as if the stage were not there
    fail,  ///< the pass takes no further option, and the reason is reported
};

struct Stage {
    std::string name;
    Expander* expander = nullptr;  ///< borrowed; outlives the chain
    StageFallback on_error = StageFallback::skip;
    StageFallback on_empty = StageFallback::skip;
};

struct NamedCheck {
    std::string name;
    SimilarityCheck* check = nullptr;  ///< borrowed; outlives its use
};

/// A group source, under the name it has in the configuration.
struct NamedSource {
    std::string name;
    GroupSource* source;
};

/// The time that a pass may take for scale-up. [pass thread]
class TimeLimit {
public:
    virtual ~TimeLimit() = default;
    /// Once true, it stays true.
    virtual bool is_reached() = 0;
};

/// The policies of the pipeline. All of them are borrowed for the time of the pass.
struct Policies {
    std::vector<Stage> chain;
    std::vector<NamedCheck> similarity;
    Splitter* splitter = nullptr;  ///< NULL: an option's nodes all go to its own group
    /// Groups can be made only if there is at least one source, a maker, and a cloud with machine
    /// types.
    std::vector<NamedSource> group_sources{};
    GroupMaker* maker = nullptr;                  ///< NULL: no groups are made
    TimeLimit* time_limit = nullptr;              ///< NULL: there is none
    PassPhaseObserver* phase_observer = nullptr;  ///< does not influence decisions; NULL: none
};

}  // namespace capstan::engine
