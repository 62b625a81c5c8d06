/// Chooses one of several options by asking the expanders in order: each keeps some of the options
/// that the one before has kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/scale_up_options.hpp"

namespace capstan::engine::scale_up {

/// The choice with its reasons. No option is chosen if there was none to choose from, or if a stage
/// with the fallback `fail` failed or kept none; `because` says which.
struct Choice {
    std::optional<std::uint32_t> option;  ///< index into the question's options
    std::string because;
    std::vector<StageVerdict> stages;  ///< the stages that were asked, in order
};

/// Stops as soon as one option is left. Of options that are still tied after the last stage, groups
/// that exist come before groups that would have to be made, then the lowest price if all options
/// help the same pods and have a price, then the lowest id.
///     least_waste keeps b, c; random keeps c                ->  c
///     least_waste fails, on_error = skip; most_pods keeps a  ->  a
Choice choose(const std::vector<Stage>& chain, const ScaleUpQuestion& question,
              const CallContext& call_context);

/// Describes options and pods for plugins and asks the expander chain. The pods are described once
/// for all rounds of a pass, when a plugin is asked for the first time. Borrows its arguments.
class ExpanderChain {
public:
    /// `pods` by pod group: the pods that are pending now; no other pods will be described.
    ExpanderChain(const pass_context::PassContext& context, const Policies& policies,
                  const CallContext& call_context, const std::vector<int>& pods);

    /// By pod group: its index in ScaleUpQuestion::pods.
    const std::vector<std::uint32_t>& pod_indices() const noexcept { return pod_indices_; }

    /// Chooses one of the options, which are ordered by group. `pods` by pod group: the pods that
    /// are still pending. Each round has a seed of its own, made of the call context's seed and
    /// `now` and the number of the round.
    Choice ask(const std::vector<Option>& options, const std::vector<int>& pods,
               const QuotaTracker& quotas);

private:
    ScaleUpOption describe_option(const Option& option, const QuotaTracker& quotas) const;
    void describe_pods(const std::vector<int>& pods);

    const pass_context::PassContext* context_;
    const Policies* policies_;
    CallContext call_context_;
    std::int64_t round_ = 0;
    std::vector<PodGroupIndex> pod_groups_;  // by index in question_.pods
    std::vector<std::uint32_t> pod_indices_;
    ScaleUpQuestion question_;
};

}  // namespace capstan::engine::scale_up
