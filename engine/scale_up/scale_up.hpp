/// Takes one option after the other until no further option makes a pod schedulable.
///
/// A round makes an option for each group that may grow (which pods its new nodes would take, and
/// how many nodes that needs), has the expanders choose one, shares its nodes out among similar
/// groups, and places the pods on them. Pods that are left go into the next round, which sees the
/// new nodes as part of the cluster.
///
/// Groups that failed last time are tried before others get nodes for pods that are spread over
/// both: should they fail again, the constraint allows no pod on the others' nodes.
///
/// Pods with a spread constraint over zones follow a plan (spread_plan.hpp). If the rounds of a
/// plan end with a broken constraint, all of them are undone and tried again with the limits that
/// were learned.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/expander_chain.hpp"
#include "engine/scale_up/initial_placement.hpp"
#include "engine/scale_up/pinned_first.hpp"
#include "engine/scale_up/scale_up_options.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine::scale_up {

/// Borrows the context of `initial` and the policies.
class ScaleUp {
public:
    ScaleUp(InitialPlacement initial, const Policies& policies, const CallContext& call_context);
    ScaleUp(const ScaleUp&) = delete;
    ScaleUp& operator=(const ScaleUp&) = delete;
    ~ScaleUp() = default;

    /// To be called once.
    void run();

    const pass_context::PassContext& context() const noexcept { return *initial_.context; }
    const Progress& progress() const noexcept { return initial_.progress; }
    scheduling::Placement& placement() noexcept { return initial_.placement; }
    /// Groups that may share an option with the group, by id.
    std::vector<NodeGroupId> similar_to(GroupIndex group);
    /// The other existing groups, by id, each with the reason why it does not share an option with
    /// the group.
    std::vector<std::pair<NodeGroupId, std::string>> not_similar_to(GroupIndex group);
    scheduling::Slot first_new() const noexcept { return initial_.first_new; }
    /// The slots from here on are upcoming nodes and, from first_new() on, nodes of this pass.
    scheduling::Slot first_upcoming() const noexcept {
        return static_cast<scheduling::Slot>(context().snapshot->cluster.node_count());
    }
    /// See PassFigures.
    std::optional<int> searches_in_time() const noexcept { return searches_in_time_; }
    /// The state of the placement before the first option.
    scheduling::Placement::Mark start() const noexcept { return start_; }

private:
    void take_turns();
    void begin_anew(const Progress& before);
    std::vector<GroupIndex> find_retries();
    bool are_spread_over_others(std::span<const GroupIndex> retries);
    void close_others(std::span<const GroupIndex> retries);
    void take_turn(SpreadTurn turn);
    bool attempt();
    void make_plan();
    bool is_spread_once(PodGroupIndex pod_group) const;
    void take_options();
    std::vector<Option> make_options(const std::vector<int>& pods);
    bool take_option();
    bool is_out_of_time();
    bool assign_late();
    template <class Wanted>
    bool assign_waiting(Wanted is_wanted);

    void carry_out(std::vector<Option>& options, std::size_t chosen, ChosenOption explanation);
    /// Groups that may share the chosen option, including its own and groups on which some of its
    /// pods do not run; ascending. `unmade` gets the groups that cannot be created because the
    /// maximum number of groups is reached.
    std::vector<GroupIndex> sharing_groups(std::vector<Option>& options, std::size_t chosen,
                                           std::vector<GroupIndex>& unmade);
    void record(const Option& option, const OptionOutcome& outcome, ChosenOption explanation);
    OptionOutcome share(const Option& option);
    std::optional<OptionOutcome> share_pinned_first(const Option& option,
                                                    std::span<const Demand> pinned,
                                                    std::span<const GroupIndex> groups,
                                                    bool in_any_order);
    std::string role_of(const Option& option, GroupIndex group) const;
    /// `unmade`: the groups that cannot be created because the maximum number of groups is reached,
    /// ascending.
    std::vector<std::string> left_out(const Option& option, std::span<const GroupIndex> unmade);
    std::vector<int> waiting() const;

    const Policies* policies_;
    CallContext call_context_;
    InitialPlacement initial_;
    scheduling::Placement::Mark start_;
    SimilarSets similar_;
    ExpanderChain expanders_;
    OptionMaker maker_;
    LearnedLimits learned_limits_{};
    SpreadPlan plan_;
    std::vector<SpreadTurn> turns_;  // by pod group
    SpreadTurn turn_ = SpreadTurn::with_others;
    /// By the first of similar groups: the nodes that their pods still needed at least when that
    /// was more than one scale-up may add.
    std::map<GroupIndex, int> beyond_limit_{};
    int searches_ = 0;  // for options, including those of attempts that were undone
    std::optional<int> searches_in_time_{};
};

}  // namespace capstan::engine::scale_up
