#include "engine/scale_up/expander_chain.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>

namespace capstan::engine::scale_up {
namespace {

using Indices = std::vector<std::uint32_t>;

const NodeGroupId& id_of(const ScaleUpQuestion& question, std::uint32_t option) {
    return question.options[option].group.id;
}

/// The words that say that only existing groups counted in a tie with groups to be made.
std::string among_existing(const ScaleUpQuestion& question, const Indices& left) {
    const auto exists = [&](std::uint32_t i) { return question.options[i].group_exists; };
    const bool both = std::ranges::any_of(left, exists) && !std::ranges::all_of(left, exists);
    return both ? ", among existing groups" : "";
}

/// What the option's nodes cost per hour; absent: not known.
std::optional<double> price_of(const ScaleUpOption& option) {
    if (!option.price_per_hour) return std::nullopt;
    return *option.price_per_hour * option.nodes;
}

/// Whether all these options help the same pods, and their prices are known and not all the same.
bool can_break_tie_by_price(const ScaleUpQuestion& question, const Indices& left) {
    std::optional<double> least, most;
    for (const std::uint32_t i : left) {
        const ScaleUpOption& option = question.options[i];
        const std::optional<double> price = price_of(option);
        if (!price || !help_same_pods(option, question.options[left.front()])) return false;
        least = std::min(least.value_or(*price), *price);
        most = std::max(most.value_or(*price), *price);
    }
    return least < most;
}

/// One pass through a stage: narrows `left`, or says why the chain must end.
struct Round {
    const ScaleUpQuestion& question;
    const CallContext& call_context;
    Indices left;
    Choice choice;

    bool ask(const Stage& stage);

private:
    bool give_up_or_skip(const Stage& stage, StageFallback fallback, StageVerdict verdict,
                         std::string what);
};

bool Round::give_up_or_skip(const Stage& stage, StageFallback fallback, StageVerdict verdict,
                            std::string what) {
    const bool fails = fallback == StageFallback::fail;
    verdict.summary = stage.name + ": " + std::move(what) + (fails ? "; no scale-up" : "; skipped");
    if (fails) choice.because = verdict.summary;
    choice.stages.push_back(std::move(verdict));
    return !fails;
}

bool Round::ask(const Stage& stage) {
    StageVerdict verdict{.stage = stage.name,
                         .shown = left.size(),
                         .kept = {},
                         .sentences = {},
                         .error = {},
                         .summary = {}};
    Result<FilterResult> answer = stage.expander->filter(question, left, call_context);
    if (!answer) {
        verdict.error = answer.error();
        std::string what = "failed: " + answer.error().message;
        return give_up_or_skip(stage, stage.on_error, std::move(verdict), std::move(what));
    }
    verdict.sentences = std::move(answer->sentences);
    if (answer->kept.empty()) {
        return give_up_or_skip(stage, stage.on_empty, std::move(verdict),
                               "keeps none of " + std::to_string(left.size()));
    }
    left.clear();
    for (const FilterResult::Kept& kept : answer->kept) {
        CAPSTAN_ASSERT(kept.option < question.options.size(),
                       "an expander keeps an option that does not exist");
        left.push_back(kept.option);
        verdict.kept.push_back(id_of(question, kept.option));
    }
    verdict.summary = stage.name + ": keeps " + std::to_string(left.size()) + " of " +
                      std::to_string(verdict.shown) + ": " +
                      listed(verdict.kept, [](const NodeGroupId& id) { return id.value(); });
    choice.stages.push_back(std::move(verdict));
    return true;
}

}  // namespace

Choice choose(const std::vector<Stage>& chain, const ScaleUpQuestion& question,
              const CallContext& call_context) {
    Choice none;
    none.because = "no options to choose from";
    if (question.options.empty()) return none;

    Round round{question, call_context, Indices(question.options.size()), {}};
    std::iota(round.left.begin(), round.left.end(), 0u);
    for (const Stage& stage : chain) {
        if (round.left.size() == 1) break;
        if (!round.ask(stage)) return std::move(round.choice);
    }

    Choice& choice = round.choice;
    const bool by_price = can_break_tie_by_price(question, round.left);
    // Groups that exist come before groups that have to be made first.
    choice.option = *std::ranges::min_element(round.left, {}, [&](std::uint32_t i) {
        return std::tuple(!question.options[i].group_exists,
                          by_price ? *price_of(question.options[i]) : 0, id_of(question, i));
    });
    const std::string& group = id_of(question, *choice.option).value();
    if (question.options.size() == 1) {
        choice.because = group + " is the only option";
    } else if (round.left.size() > 1) {
        choice.because = group +
                         (by_price ? " has the lowest price of " : " has the lowest id of ") +
                         std::to_string(round.left.size()) + " options still tied" +
                         among_existing(question, round.left);
    } else {
        choice.because = group + " is the only option that " + choice.stages.back().stage +
                         " kept of " + std::to_string(choice.stages.back().shown);
    }
    return std::move(choice);
}

namespace {

/// The name without the namespace, of "namespace/name".
std::string_view name_in(std::string_view example) { return example.substr(example.find('/') + 1); }

/// The process's seed alone would give the same random choice in each pass. A count of passes would
/// make the choice depend on passes that decide nothing, and such passes may be skipped.
std::uint64_t seed_of(const CallContext& call_context, std::int64_t round) {
    Hash hash;
    hash.add(static_cast<std::int64_t>(call_context.seed));
    hash.add(std::int64_t{call_context.now.time_since_epoch().count()});
    hash.add(round);
    return hash.value();
}

}  // namespace

ExpanderChain::ExpanderChain(const pass_context::PassContext& context, const Policies& policies,
                             const CallContext& call_context, const std::vector<int>& pods)
    : context_(&context),
      policies_(&policies),
      call_context_(call_context),
      pod_indices_(pods.size(), 0) {
    for (PodGroupIndex s = 0; s < pods.size(); ++s) {
        if (pods[s] == 0) continue;
        pod_indices_[s] = static_cast<std::uint32_t>(pod_groups_.size());
        pod_groups_.push_back(s);
    }
    question_.cluster_nodes = static_cast<std::uint32_t>(context.snapshot->cluster.node_count());
}

void ExpanderChain::describe_pods(const std::vector<int>& pods) {
    if (question_.pods.empty()) {
        for (const PodGroupIndex s : pod_groups_) {
            const PodCount& pending = context_->pending.pod_groups[s];
            question_.pods.push_back(snapshot::describe(context_->snapshot->cluster,
                                                        pending.equivalence_group,
                                                        name_in(pending.example), pending.count));
        }
    }
    for (std::size_t i = 0; i < pod_groups_.size(); ++i) {
        question_.pods[i].count = static_cast<std::uint32_t>(pods[pod_groups_[i]]);
    }
}

ScaleUpOption ExpanderChain::describe_option(const Option& option,
                                             const QuotaTracker& quotas) const {
    const Group& group = context_->groups()[option.group];
    ScaleUpOption out;
    out.group = group.group;
    out.group.target = context_->target(option.group) + quotas.grown(option.group);
    out.node = context_->templates[option.group].node;
    out.nodes = option.nodes;
    out.pods = option.estimate->shares;
    out.requested = option.estimate->requested;
    out.pod_count = option.estimate->pods;
    for (const GroupIndex other : option.similar) out.similar.push_back(context_->id(other));
    out.price_per_hour = group.price_per_hour;
    out.group_exists = group.plan == nullptr;
    return out;
}

Choice ExpanderChain::ask(const std::vector<Option>& options, const std::vector<int>& pods,
                          const QuotaTracker& quotas) {
    question_.options.clear();
    for (const Option& option : options) {
        question_.options.push_back(describe_option(option, quotas));
    }
    if (options.size() > 1 && !policies_->chain.empty()) describe_pods(pods);
    CallContext call_context = call_context_;
    call_context.seed = seed_of(call_context_, round_++);
    return choose(policies_->chain, question_, call_context);
}

}  // namespace capstan::engine::scale_up
