#include "engine/scale_up/scale_up_options.hpp"

#include <algorithm>
#include <limits>

namespace capstan::engine::scale_up {

std::vector<Option> OptionMaker::make(const std::vector<int>& pods, const QuotaTracker& quotas,
                                      const SpreadPlan& plan) {
    estimates_.begin_round(pods);
    run_on_.clear();
    const auto count = static_cast<GroupIndex>(context_->groups().size());
    std::vector<bool> open(count);
    for (GroupIndex g = 0; g < count; ++g) open[g] = quotas.obstacle(g).is_none();
    if (open != open_) ++open_version_;
    open_ = std::move(open);
    known_sharing_.resize(count);
    std::vector<TemplateNodeId> template_nodes;
    for (GroupIndex g = 0; g < count; ++g) {
        if (open_[g]) template_nodes.push_back(g);
    }
    estimates_.prepare(std::move(template_nodes), max_nodes());
    std::vector<Option> out;
    for (GroupIndex g = 0; g < count; ++g) {
        if (!open_[g]) continue;
        if (auto option = make_one(g, quotas, plan)) out.push_back(*std::move(option));
    }
    return out;
}

int OptionMaker::max_nodes() const noexcept {
    const int limit = context_->settings->max_nodes_per_scale_up;
    return limit > 0 ? limit : std::numeric_limits<int>::max();
}

std::optional<Option> OptionMaker::make_one(GroupIndex group, const QuotaTracker& quotas,
                                            const SpreadPlan& plan) {
    Option option{.group = group};
    option.estimate = estimates_.of(group, max_nodes());
    if (option.estimate->nodes == 0) return std::nullopt;
    option.similar = sharing(option, plan);
    const int most = most_nodes(option, quotas);
    if (option.estimate->nodes > most) option.estimate = estimates_.of(group, most);
    option.nodes = option.estimate->nodes;
    if (context_->headrooms[group].atomic) option.nodes = quotas.room(group);
    return option.estimate->nodes == 0 ? std::nullopt : std::optional(std::move(option));
}

std::vector<GroupIndex> OptionMaker::sharing(const Option& option, const SpreadPlan& plan) {
    const scheduling::CompiledPredicates& predicates = placement_->predicates();
    KnownSharing& known = known_sharing_[option.group];
    if (known.estimate == option.estimate && known.open_version == open_version_)
        return known.groups;
    const TemplateNodeId own = predicates.equivalent(option.group);
    std::vector<GroupIndex> out;
    for (const GroupIndex other : similar_->of(option.group)) {
        if (!open_[other]) continue;
        const TemplateNodeId template_node = predicates.equivalent(other);
        const auto [at, is_new] = run_on_.try_emplace({option.estimate.get(), template_node}, true);
        if (is_new && template_node != own) {
            at->second =
                !find_misfit(*placement_, plan, option.estimate->schedulable, own, template_node);
        }
        if (at->second) out.push_back(other);
    }
    const bool is_constrained =
        std::ranges::any_of(option.estimate->schedulable, [&](const Demand& demand) {
            return predicates.has_inter_pod_constraints(demand.pod_group);
        });
    if (!is_constrained) known = {option.estimate, open_version_, out};
    return out;
}

int OptionMaker::most_nodes(const Option& option, const QuotaTracker& quotas) const {
    std::int64_t room = quotas.room(option.group);
    for (const GroupIndex other : option.similar) room += quotas.room(other);
    const int nodes = static_cast<int>(std::min<std::int64_t>(room, option.estimate->nodes));
    // An atomic group is open only if its whole growth is within the limits.
    return context_->headrooms[option.group].atomic ? nodes
                                                    : quotas.allows(option.group, nodes).nodes;
}

}  // namespace capstan::engine::scale_up
