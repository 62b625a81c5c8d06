/// Which node templates count as the same, by several checks together.
///
/// Each check answers for a pair of templates, and all have to agree. Comparing all pairs of a
/// thousand groups would be a million questions, so checks may give each template a bucket first:
/// templates of different buckets differ, and only those that share all buckets are compared.
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
/// growing one group too few is the smaller harm. Without any check nothing is similar to anything.
/// The reason starts with the name of the check that settled it.
Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const CallContext& call_context);

/// Which of many node templates are similar, asked for one at a time: each pair is compared once at
/// most, and only when asked. Only templates of one bucket can agree, so of two buckets only those
/// checks are asked that may decide. Similarity with tolerances is not transitive, so each template
/// has a list of its own. Borrows the circumstances, and the checks themselves.
class SimilarGroups {
public:
    SimilarGroups(std::vector<NamedCheck> checks, std::vector<NodeTemplate> templates,
                  const CallContext& call_context);

    /// Those of `others` that are similar to `one`, in their order; itself never is. Indices into
    /// the templates.
    std::vector<std::size_t> find(std::size_t one, std::span<const std::size_t> others);
    /// A sentence for each check that has failed, with its first error.
    std::vector<std::string> failures() const;

private:
    enum class Pair : std::uint8_t { unknown, similar, different };
    bool are_similar(std::size_t a, std::size_t b);
    bool compare(std::size_t a, std::size_t b);

    std::vector<NamedCheck> checks_, deciding_;
    std::vector<NodeTemplate> templates_;
    const CallContext* call_context_;
    std::vector<std::size_t> buckets_{};           // by template
    std::vector<std::vector<Pair>> pairs_{};       // by the lower, then by what the other has more
    std::map<std::string, std::string> failed_{};  // by check
};

/// For each template the ascending indices of the others that are similar to it.
/// `failures`: where it is not NULL, SimilarGroups::failures are added.
std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const CallContext& call_context,
                                                     std::vector<std::string>* failures = nullptr);

// The groups a growth may be shared with: similar ones on which its pods run as well.

/// Similar groups. Two are compared once a pass, and not before one of them is asked about. Groups
/// whose nodes do not cost the same share nothing, whatever the checks say, unless
/// Settings::balance_across_prices is on. Borrows its arguments.
class SimilarSets {
public:
    SimilarSets(const pass_context::PassContext& context, const Policies& policies,
                const CallContext& call_context);

    /// Those similar to `group` that could grow when the pass began, and that nodes may be shared
    /// with, ascending; none where sharing is switched off, or there is no splitter, or the group
    /// is only ever empty or full. A group that would have to be made is among them only if `group`
    /// is for the same template.
    std::span<const pass_context::GroupIndex> of(pass_context::GroupIndex group);
    /// All that the checks call similar to `group`, also those that cannot grow, and those with a
    /// price gap.
    std::vector<pass_context::GroupIndex> all_of(pass_context::GroupIndex group);
    /// As engine::find_price_gap; of groups that all_of named together.
    std::optional<std::string> price_gap(pass_context::GroupIndex own,
                                         pass_context::GroupIndex other) const;

    /// Checks that failed when groups were compared, a sentence each.
    std::vector<std::string> failures() const;

private:
    /// What groups to make have in common that are for one template: cloud, machine type, spot,
    /// labels and taints.
    using Family =
        std::tuple<PluginInstanceId, std::string, bool, Labels, std::vector<std::string>>;
    static Family family_of(const Group& to_make);

    void prepare();
    std::vector<pass_context::GroupIndex> find(pass_context::GroupIndex group,
                                               std::span<const std::size_t> others);
    std::vector<std::size_t> with_siblings(pass_context::GroupIndex group,
                                           std::span<const std::size_t> there) const;
    bool keeps_apart(pass_context::GroupIndex group, std::size_t other) const;  // by a price gap

    const pass_context::PassContext* context_;
    const Policies* policies_;
    const CallContext* call_context_;
    bool is_off_;
    std::optional<SimilarGroups> similar_{};          // of groups with a template that may share
    std::vector<pass_context::GroupIndex> groups_{};  // by their place in it
    std::vector<Offering> offerings_{};               // by place
    std::vector<std::optional<std::size_t>> places_;  // by group
    std::vector<std::size_t> open_{}, all_{};         // places of groups that exist, ascending
    std::map<Family, std::vector<std::size_t>> to_make_{};  // places of groups to make, ascending
    std::vector<std::optional<std::vector<pass_context::GroupIndex>>> sets_;  // by group
};

/// The first of `pods`, an option for nodes of `own`, that does not run on a new node of `other`,
/// or that a plan keeps in the domain of `own`. Nothing: all may share.
std::optional<scheduling::PodGroupIndex> find_misfit(scheduling::Placement& placement,
                                                     const SpreadPlan& plan,
                                                     std::span<const Demand> pods,
                                                     scheduling::TemplateNodeId own,
                                                     scheduling::TemplateNodeId other);

}  // namespace capstan::engine::scale_up
