#include "engine/scale_up/similar_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/taints.hpp>

#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::scale_up {
namespace {

/// The results of one hook for one template, one for each check.
using HashKey = std::vector<std::uint64_t>;

HashKey bucket_key(const std::vector<NamedCheck>& checks, const NodeTemplate& node,
                   const CallContext& call_context) {
    HashKey key;
    for (const NamedCheck& c : checks) {
        // A check without buckets, or one that fails now, separates nothing. If it fails, `compare`
        // will see the failure again.
        key.push_back(c.check->bucket(node, call_context).value_or(0));
    }
    return key;
}

/// Absent: a check does not tell, so the template is equivalent to no other.
std::optional<HashKey> equivalence_key(const std::vector<NamedCheck>& checks,
                                       const NodeTemplate& node, const CallContext& call_context) {
    HashKey key;
    for (const NamedCheck& c : checks) {
        const Result<std::uint64_t> hash = c.check->equivalence(node, call_context);
        if (!hash) return std::nullopt;
        key.push_back(*hash);
    }
    return key;
}

std::vector<NamedCheck> those_that_may_decide(const std::vector<NamedCheck>& checks) {
    std::vector<NamedCheck> out;
    std::ranges::copy_if(checks, std::back_inserter(out),
                         [](const NamedCheck& c) { return c.check->may_decide(); });
    return out;
}

/// The first error of each check, by the check's name.
using CheckErrors = std::map<std::string, std::string>;

Similarity settle(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                  const NodeTemplate& b, const CallContext& call_context, CheckErrors& failures) {
    Similarity settled = agrees("all checks agree");
    for (const NamedCheck& c : checks) {
        if (settled.verdict == SimilarityVerdict::differs && !c.check->may_decide()) continue;
        Result<Similarity> answer = c.check->similar(a, b, call_context);
        if (!answer) {
            failures.try_emplace(c.name, answer.error().message);
            answer = differs("failed: " + answer.error().message);
        }
        answer->because.insert(0, c.name + ": ");
        if (answer->verdict == SimilarityVerdict::decided) return *std::move(answer);
        if (answer->verdict == SimilarityVerdict::differs &&
            settled.verdict == SimilarityVerdict::agrees) {
            settled = *std::move(answer);
        }
    }
    return settled;
}

}  // namespace

Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const CallContext& call_context) {
    if (checks.empty()) return differs("no similarity check is configured");
    CheckErrors failures;
    return settle(checks, a, b, call_context, failures);
}

SimilarGroups::SimilarGroups(std::vector<NamedCheck> checks, std::vector<NodeTemplate> templates,
                             const CallContext& call_context)
    : checks_(std::move(checks)),
      deciding_(those_that_may_decide(checks_)),
      templates_(std::move(templates)),
      call_context_(&call_context) {
    if (checks_.empty()) return;
    std::map<HashKey, std::size_t> buckets, classes;
    std::size_t class_count = 0;
    for (const NodeTemplate& node : templates_) {
        const HashKey bucket = bucket_key(checks_, node, call_context);
        buckets_.push_back(buckets.try_emplace(bucket, buckets.size()).first->second);
        const auto equivalence = equivalence_key(checks_, node, call_context);
        std::size_t own = class_count;
        if (equivalence) own = classes.try_emplace(*equivalence, class_count).first->second;
        if (own == class_count) ++class_count;
        classes_.push_back(own);
    }
    pairs_.resize(class_count);
}

std::vector<std::size_t> SimilarGroups::find(std::size_t one, std::span<const std::size_t> others) {
    std::vector<std::size_t> out;
    if (checks_.empty()) return out;
    for (const std::size_t other : others) {
        if (other == one || (buckets_[one] != buckets_[other] && deciding_.empty())) continue;
        if (are_similar(std::min(one, other), std::max(one, other))) out.push_back(other);
    }
    return out;
}

bool SimilarGroups::are_similar(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax(classes_[a], classes_[b]);
    std::vector<Pair>& known = pairs_[low];
    if (known.empty()) known.resize(pairs_.size() - low);
    Pair& pair = known[high - low];
    if (pair == Pair::unknown) pair = compare(a, b) ? Pair::similar : Pair::different;
    return pair == Pair::similar;
}

/// Templates of different buckets are similar only if a check decides so.
bool SimilarGroups::compare(std::size_t a, std::size_t b) {
    const bool is_one_bucket = buckets_[a] == buckets_[b];
    const Similarity found = settle(is_one_bucket ? checks_ : deciding_, templates_[a],
                                    templates_[b], *call_context_, failed_);
    return is_one_bucket ? found.verdict != SimilarityVerdict::differs
                         : found.verdict == SimilarityVerdict::decided;
}

std::vector<std::string> SimilarGroups::failures() const {
    std::vector<std::string> out;
    for (const auto& [check, error] : failed_)
        out.push_back("similarity check " + check + " failed: " + error);
    return out;
}

std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const CallContext& call_context,
                                                     std::vector<std::string>* failures) {
    SimilarGroups groups(checks, templates, call_context);
    std::vector<std::size_t> all(templates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> out;
    for (const std::size_t one : all) out.push_back(groups.find(one, all));
    if (failures != nullptr) std::ranges::copy(groups.failures(), std::back_inserter(*failures));
    return out;
}

SimilarSets::SimilarSets(const pass_context::PassContext& context, const Policies& policies,
                         const CallContext& call_context)
    : context_(&context),
      policies_(&policies),
      call_context_(&call_context),
      is_off_(!context.settings->balance_similar || policies.splitter == nullptr),
      places_(context.groups().size()),
      sets_(context.groups().size()) {}

SimilarGroups& SimilarSets::prepare() {
    if (similar_) return *similar_;
    std::vector<NodeTemplate> templates;
    for (GroupIndex g = 0; g < context_->groups().size(); ++g) {
        const auto& node = context_->templates[g].node;
        const Group& group = context_->groups()[g];
        const bool is_open = context_->headrooms[g].obstacle.is_none();
        if (node == nullptr || context_->headrooms[g].atomic) continue;
        places_[g] = groups_.size();
        if (group.plan != nullptr) {
            to_make_[family_of(group)].push_back(groups_.size());
        } else {
            if (is_open) open_.push_back(groups_.size());
            all_.push_back(groups_.size());
        }
        groups_.push_back(g);
        offerings_.push_back({.group = context_->id(g),
                              .is_spot = templates::is_spot(node->labels),
                              .price_per_hour = context_->groups()[g].price_per_hour});
        templates.push_back(*node);
    }
    return similar_.emplace(policies_->similarity, std::move(templates), *call_context_);
}

std::vector<GroupIndex> SimilarSets::find(SimilarGroups& similar, std::size_t own,
                                          std::span<const std::size_t> others) const {
    std::vector<GroupIndex> out;
    std::ranges::transform(similar.find(own, others), std::back_inserter(out),
                           [&](std::size_t place) { return groups_[place]; });
    return out;
}

SimilarSets::Family SimilarSets::family_of(const Group& to_make) {
    const GroupPlan& plan = *to_make.plan;
    std::vector<std::string> taints;
    for (const Taint& taint : plan.taints) taints.push_back(to_string(taint));
    return {to_make.cloud, plan.machine_type, plan.spot, plan.labels, std::move(taints)};
}

/// Adds to `there`, which are existing groups, the groups to be made for the same template as
/// `group`. If `group` was made by auto-provisioning before, these are the ones with its machine
/// type, and the checks compare the rest. To share with a group that was not auto-provisioned, no
/// group is made.
std::vector<std::size_t> SimilarSets::with_siblings(GroupIndex group,
                                                    std::span<const std::size_t> there) const {
    std::vector<std::size_t> out(there.begin(), there.end());
    const Group& own = context_->groups()[group];
    const auto add = [&](const std::vector<std::size_t>& places) {
        out.insert(out.end(), places.begin(), places.end());
    };
    if (own.plan != nullptr) {
        const auto family = to_make_.find(family_of(own));
        if (family != to_make_.end()) add(family->second);
    } else if (own.group.autoprovisioned) {
        const std::string& type = context_->templates[group].node->machine_type;
        for (const auto& [family, places] : to_make_)
            if (std::get<0>(family) == own.cloud && std::get<1>(family) == type) add(places);
    }
    std::ranges::sort(out);
    return out;
}

std::span<const GroupIndex> SimilarSets::of(GroupIndex group) {
    if (is_off_) return {};
    SimilarGroups& similar = prepare();
    const std::optional<std::size_t>& own_place = places_[group];
    if (!own_place) return {};
    std::optional<std::vector<GroupIndex>>& set = sets_[group];
    if (set) return *set;
    std::vector<std::size_t> others = with_siblings(group, open_);
    std::erase_if(others, [&, own = *own_place](std::size_t place) {
        return !context_->headrooms[groups_[place]].obstacle.is_none() || keeps_apart(own, place);
    });
    return set.emplace(find(similar, *own_place, others));
}

std::vector<GroupIndex> SimilarSets::all_of(GroupIndex group) {
    if (is_off_) return {};
    SimilarGroups& similar = prepare();
    const std::optional<std::size_t>& own_place = places_[group];
    if (!own_place) return {};
    return find(similar, *own_place, with_siblings(group, all_));
}

std::string SimilarSets::why_different(GroupIndex own, GroupIndex other) {
    if (!context_->settings->balance_similar) return "scale_up.balance_similar is off";
    if (policies_->splitter == nullptr) return "no splitter is configured";
    prepare();
    for (const GroupIndex group : {own, other}) {
        if (places_[group]) continue;
        const std::string name = "group " + context_->id(group).value();
        return name + (context_->headrooms[group].atomic ? " has 0 or max nodes (zero_or_max)"
                                                         : " has no node template");
    }
    const Similarity found =
        scale_up::compare(policies_->similarity, *context_->templates[own].node,
                          *context_->templates[other].node, *call_context_);
    if (found.verdict == SimilarityVerdict::differs) return found.because;
    return price_gap(own, other).value_or("");
}

bool SimilarSets::keeps_apart(std::size_t own, std::size_t other) const {
    return !context_->settings->balance_across_prices &&
           has_price_gap(offerings_[own], offerings_[other]);
}

std::optional<std::string> SimilarSets::price_gap(GroupIndex own, GroupIndex other) const {
    if (context_->settings->balance_across_prices) return std::nullopt;
    const std::optional<std::size_t>& own_place = places_[own];
    const std::optional<std::size_t>& other_place = places_[other];
    CAPSTAN_ASSERT(own_place && other_place, "a group that may not share is compared");
    return find_price_gap(offerings_[*own_place], offerings_[*other_place]);
}

std::vector<std::string> SimilarSets::failures() const {
    return similar_ ? similar_->failures() : std::vector<std::string>();
}

std::optional<PodGroupIndex> find_misfit(scheduling::Placement& placement, const SpreadPlan& plan,
                                         std::span<const Demand> pods, TemplateNodeId own,
                                         TemplateNodeId other) {
    const scheduling::Placement::Mark mark = placement.mark();
    const scheduling::Slot own_slot = placement.add(own, 1), slot = placement.add(other, 1);
    const auto has_room = [&](PodGroupIndex pod_group, scheduling::Slot on) {
        return placement.room(pod_group, on, 1).in_all > 0;
    };
    const auto misfit = std::ranges::find_if(pods, [&](const Demand& demand) {
        // A planned pod stays in the domain for which it was planned.
        if (plan.keeps_apart(demand.pod_group, own, other)) return true;
        if (!has_room(demand.pod_group, slot)) return true;
        // If the pods are spread by the number of other pods, the new domain of `other`, which has
        // none of these, may close that of `own`.
        const auto spread = placement.spread(demand.pod_group);
        return spread && !spread->counts_itself && !has_room(demand.pod_group, own_slot);
    });
    placement.undo(mark);
    if (misfit == pods.end()) return std::nullopt;
    return misfit->pod_group;
}

}  // namespace capstan::engine::scale_up
