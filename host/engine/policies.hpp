/// The questions the engine asks of others. It never learns whether a plugin, a test or a remote
/// answers.
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

/// What an answer may depend on besides the question: equal questions and equal circumstances,
/// equal answers.
struct CallContext {
    std::uint64_t seed = 0;
    Time now{};  ///< goes on evenly, see PassTime
    /// What the machine's clock shows; nothing: the same.
    std::optional<Time> wall{};
    bool dry_run = false;
    bool simulation = false;
    /// Why nodes, pods and budgets are not seen as they are at the moment, though as they were not
    /// long ago: nothing is removed then. Empty: they are.
    std::string unobserved_because{};

    PassTime time() const noexcept { return {now, wall.value_or(now)}; }
};

/// Ways to grow, ordered by group id, and the pods they are for.
struct ScaleUpQuestion {
    std::vector<ScaleUpOption> options;
    std::vector<PodEquivalenceGroup> pods;
    std::uint32_t cluster_nodes = 0;
};

/// What one expander made of the options it was shown.
struct FilterResult {
    struct Kept {
        std::uint32_t option = 0;  ///< index into the question's options
        double score = 0;          ///< for the explanation only
        bool operator==(const Kept&) const = default;
    };
    std::vector<Kept> kept;              ///< ascending by index, each once
    std::vector<std::string> sentences;  ///< its own explanation
};

class Expander {
public:
    virtual ~Expander() = default;
    /// Narrows `among`, ascending indices into the question's options, at least one.
    virtual Result<FilterResult> filter(const ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const CallContext& call_context) = 0;
};

class SimilarityCheck {
public:
    virtual ~SimilarityCheck() = default;
    virtual Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                                       const CallContext& call_context) = 0;
    /// Whether it may answer `decided`; buckets are then of no use.
    virtual bool may_decide() const = 0;
    /// Templates in different buckets differ. Without buckets: `unsupported`.
    virtual Result<std::uint64_t> bucket(const NodeTemplate& node,
                                         const CallContext& call_context) = 0;
};

class Splitter {
public:
    virtual ~Splitter() = default;
    /// How much each group grows, in the order of `groups` (by id). Never past a maximum, never
    /// above `nodes` in all.
    virtual Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                           const CallContext& call_context) = 0;
};

/// Which groups could be made of one cloud's machines; everything borrowed for the call.
struct GroupsQuestion {
    struct Existing {
        const NodeGroup* group = nullptr;    ///< never NULL
        const NodeTemplate* node = nullptr;  ///< NULL: unknown
    };
    std::span<const PodEquivalenceGroup>
        pods;                               ///< pods that fit on no node that is there or upcoming
    std::span<const MachineType> machines;  ///< by name
    std::span<const Existing> existing;     ///< of all clouds, by id
    /// By how much the cluster may still grow; "nodes" and "gpu" are among the names. What is not
    /// there has no limit.
    Resources room;
    PluginInstanceId cloud{};  ///< whose machines these are
};

struct GroupsAnswer {
    struct Suggestion {
        GroupPlan plan{};
        std::string because{};
    };
    struct LeftOut {
        std::string machine_type{}, because{};
    };
    std::vector<Suggestion> groups{};      ///< no two of one name; each on offer
    std::vector<LeftOut> left_out{};       ///< the nearest miss first
    std::optional<int> most_groups{};      ///< the cluster may have in all; nothing: any number
    std::vector<std::string> sentences{};  ///< its own explanation
};

class GroupSource {
public:
    virtual ~GroupSource() = default;
    virtual Result<GroupsAnswer> suggest(const GroupsQuestion& question,
                                         const CallContext& call_context) = 0;
    /// Whether the group, which its cloud marks as autoprovisioned, is one of its own.
    virtual Result<bool> owns(const NodeGroup& group, const CallContext& call_context) = 0;
};

/// A group that could be, as its cloud sees it.
struct CandidateGroup {
    PlannedGroup planned{};
    GroupOptions options{};
    std::optional<double> price_per_hour{};  ///< of one node; nothing: that of the offer
};

/// Tells what clouds would make of a plan.
class GroupMaker {
public:
    virtual ~GroupMaker() = default;
    /// `unsupported`: its cloud makes no such group, which is no complaint.
    virtual Result<CandidateGroup> new_group(const PluginInstanceId& cloud, const GroupPlan& plan,
                                             const CallContext& call_context) = 0;
};

/// What becomes of a stage that fails, or keeps nothing.
enum class StageFallback {
    skip,  ///< its input passes on, as if it were not there
    fail,  ///< no scale-up in this pass, and the reason is said
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

/// The policies of the pipeline. All is borrowed for the time of the pass.
struct Policies {
    std::vector<Stage> chain;
    std::vector<NamedCheck> similarity;
    Splitter* splitter = nullptr;  ///< NULL: an option's nodes all go to its own group
    /// Groups are made where there is one of these, a maker, and a cloud with machines to offer.
    std::vector<NamedSource> group_sources{};
    GroupMaker* maker = nullptr;
    PassPhaseObserver* parts = nullptr;  ///< observes and decides nothing; NULL: none
};

}  // namespace capstan::engine
