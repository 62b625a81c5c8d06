/// Which node templates are similar, according to the configured checks.
///
/// Each check answers for a pair of templates, and all have to agree. Comparing all pairs of a
/// thousand groups would take a million calls, so checks may give each template a bucket first:
/// templates of different buckets differ, and only those that share all buckets are compared. If
/// all checks tell which templates are equivalent, one template of each equivalence class is
/// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/price_parity.hpp"
#include "engine/scale_up/progress.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine::scale_up {

/// Asks every check in order until the answer is settled: one `decided` makes the two similar
/// whatever the others say; otherwise all must agree. A check that fails makes them differ, since
/// growing one group too few is the smaller harm. Without any check no templates are similar. The
/// reason starts with the name of the check that settled the answer, if a single one did.
Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const CallContext& call_context);

/// Finds similar node templates on request: each pair of equivalence classes is compared at most
/// once, and only when it is asked about. Templates of different buckets can be similar only by a
/// check that may answer `decided`, so only such checks are asked about them. Similarity with
/// tolerances is not transitive, so each template has a list of its own. Borrows the call context
/// and the checks.
class SimilarGroups {
public:
    SimilarGroups(std::vector<NamedCheck> checks, std::vector<NodeTemplate> templates,
                  const CallContext& call_context);

    /// The templates among `others` that are similar to `one`, in their order, without `one`
    /// itself. All are indices into the templates.
    std::vector<std::size_t> find(std::size_t one, std::span<const std::size_t> others);
    /// A sentence for each check that has failed, with the first error of the check.
    std::vector<std::string> failures() const;

private:
    enum class Pair : std::uint8_t { unknown, similar, different };
    bool are_similar(std::size_t a, std::size_t b);
    bool compare(std::size_t a, std::size_t b);

    std::vector<NamedCheck> checks_, deciding_;
    std::vector<NodeTemplate> templates_;
    const CallContext* call_context_;
    std::vector<std::size_t> buckets_{};           // by template
    std::vector<std::size_t> classes_{};           // of equivalence, by template
    std::vector<std::vector<Pair>> pairs_{};       // [lower class][higher class - lower class]
    std::map<std::string, std::string> failed_{};  // by check
};

/// For each template the ascending indices of the others that are similar to it. If `failures` is
/// not NULL, SimilarGroups::failures are added to it.
std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const CallContext& call_context,
                                                     std::vector<std::string>* failures = nullptr);

// The groups with which an option may be shared.

/// Similar groups of a pass. Two groups are compared once a pass, when one of them is first asked
/// about. Groups with a price gap (price_parity.hpp) share no nodes, whatever the checks say,
/// unless Settings::balance_across_prices is on. Borrows its arguments.
class SimilarSets {
public:
    SimilarSets(const pass_context::PassContext& context, const Policies& policies,
                const CallContext& call_context);

    /// Groups similar to `group` that could grow when the pass began and with which nodes may be
    /// shared, ascending. None if sharing is switched off, if there is no splitter, or if the group
    /// is only ever empty or full. A group that would have to be made is among them only if `group`
    /// would have to be made as well and the two differ in their zone alone, or if `group` was
    /// auto-provisioned before and both have the same cloud and machine type.
    std::span<const GroupIndex> of(GroupIndex group);
    /// All groups that the checks find similar to `group`, including groups that cannot grow and
    /// groups with a price gap.
    std::vector<GroupIndex> all_of(GroupIndex group);
    /// Why the two groups share no option, in the words of the check that finds them different, or
    /// of the setting that keeps them apart; empty: they are similar.
    std::string why_different(GroupIndex own, GroupIndex other);
    /// find_price_gap for two groups, one of which all_of returned for the other; absent if
    /// Settings::balance_across_prices is on.
    std::optional<std::string> price_gap(GroupIndex own, GroupIndex other) const;

    /// See SimilarGroups::failures.
    std::vector<std::string> failures() const;

private:
    /// Groups to be made that differ in their zone alone: cloud, machine type, spot, labels and
    /// taints are equal.
    using Family =
        std::tuple<PluginInstanceId, std::string, bool, Labels, std::vector<std::string>>;
    static Family family_of(const Group& to_make);

    SimilarGroups& prepare();
    std::vector<GroupIndex> find(SimilarGroups& similar, std::size_t own,
                                 std::span<const std::size_t> others) const;
    std::vector<std::size_t> with_siblings(GroupIndex group,
                                           std::span<const std::size_t> there) const;
    bool keeps_apart(std::size_t own, std::size_t other) const;  // by a price gap

    const pass_context::PassContext* context_;
    const Policies* policies_;
    const CallContext* call_context_;
    bool is_off_;
    std::optional<SimilarGroups> similar_{};          // of groups with a template that may share
    std::vector<GroupIndex> groups_{};                // by index in similar_
    std::vector<Offering> offerings_{};               // by index in similar_
    std::vector<std::optional<std::size_t>> places_;  // by group: its index in similar_
    // Indices in similar_, ascending: existing groups that may grow, all existing groups, and
    // groups to be made.
    std::vector<std::size_t> open_{}, all_{};
    std::map<Family, std::vector<std::size_t>> to_make_{};
    std::vector<std::optional<std::vector<GroupIndex>>> sets_;  // by group
};

/// The first of `pods`, which an option places on nodes of `own`, that does not run on a new node
/// of `other`, or that a spread plan keeps in the domain of `own`. Absent: all run on `other`.
std::optional<PodGroupIndex> find_misfit(scheduling::Placement& placement, const SpreadPlan& plan,
                                         std::span<const Demand> pods, TemplateNodeId own,
                                         TemplateNodeId other);

}  // namespace capstan::engine::scale_up
