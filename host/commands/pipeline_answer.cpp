#include "commands/pipeline_answer.hpp"

#include <algorithm>

#include "engine/scale_up/price_parity.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/templates/capacity_type.hpp"

namespace capstan::commands {
namespace {

std::string_view word_for(SimilarityVerdict verdict) {
    return verdict == SimilarityVerdict::differs ? "differs" : "is similar";
}

/// Of an option that has a template.
engine::scale_up::Offering offering_of(const ScaleUpOption& option) {
    return {.group = option.group.id,
            .is_spot = engine::templates::is_spot(option.node->labels),
            .price_per_hour = option.price_per_hour};
}

/// The chosen group and those of its listed similar groups that the checks confirm.
std::vector<NodeGroup> groups_to_share(const engine::ScaleUpQuestion& question,
                                       const ScaleUpOption& chosen,
                                       const runtime::PassPolicies& policies,
                                       const engine::CallContext& call_context, bool across_prices,
                                       std::vector<std::string>& sentences) {
    std::vector<NodeGroup> groups{chosen.group};
    for (const ScaleUpOption& other : question.options) {
        if (std::ranges::find(chosen.similar, other.group.id) == chosen.similar.end()) continue;
        if (!chosen.node || !other.node) continue;
        Similarity s = engine::scale_up::compare(policies.similarity(), *chosen.node, *other.node,
                                                 call_context);
        const auto gap = engine::scale_up::find_price_gap(offering_of(chosen), offering_of(other));
        if (gap && !across_prices && s.verdict != SimilarityVerdict::differs) s = differs(*gap);
        sentences.push_back(other.group.id.value() + " " + std::string(word_for(s.verdict)) + ": " +
                            s.because);
        if (s.verdict != SimilarityVerdict::differs) groups.push_back(other.group);
    }
    std::ranges::sort(groups, {}, &NodeGroup::id);
    return groups;
}

Result<PipelineAnswer> ask_stages(
    const runtime::Wiring& wiring, const ExpanderRequest& request, bool across_prices,
    runtime::instances::PassWatch& watch,
    const std::shared_ptr<runtime::instances::ExpanderAnswers>& answers) {
    CAPSTAN_TRY(const runtime::PassPolicies policies,
                runtime::PassPolicies::make(wiring, watch, answers));
    const engine::CallContext call_context{.seed = request.seed, .dry_run = true};
    PipelineAnswer out;
    out.choice = engine::scale_up::choose(policies.chain(), request.question, call_context);
    if (!out.choice.option) return out;
    const ScaleUpOption& chosen = request.question.options[*out.choice.option];
    const std::vector<NodeGroup> groups = groups_to_share(request.question, chosen, policies,
                                                          call_context, across_prices, out.similar);
    const Result<std::vector<int>> shares =
        policies.splitter().split(chosen.nodes, groups, call_context);
    if (!shares) {
        out.split_error = shares.error().message;
        return out;
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if ((*shares)[i] > 0)
            out.increases.push_back({groups[i].id, groups[i].target.value_or(0), (*shares)[i]});
    }
    return out;
}

}  // namespace

Result<PipelineAnswer> ask_pipeline(runtime::PluginHost& host, const runtime::Wiring& wiring,
                                    const ExpanderRequest& request, bool balance_across_prices) {
    const auto answers = std::make_shared<runtime::instances::ExpanderAnswers>(
        std::vector<runtime::instances::ExpanderAnswer>(), runtime::asking(host));
    // An abandoned thread may look at these until the process ends: each pass owns copies.
    const std::function<Result<PipelineAnswer>(runtime::instances::PassWatch&)> pass =
        [wiring, request, balance_across_prices, answers](runtime::instances::PassWatch& watch) {
            return ask_stages(wiring, request, balance_across_prices, watch, answers);
        };
    auto watched = runtime::instances::run_watched(pass);
    if (!watched.result) return watched.result;
    for (const runtime::instances::SkippedHook& miss : watched.skipped_hooks)
        watched.result->left_out.push_back(runtime::instances::miss_text(miss));
    return watched.result;
}

}  // namespace capstan::commands
