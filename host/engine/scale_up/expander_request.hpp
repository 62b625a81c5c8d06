/// Chooses one of several ways to grow by asking expanders in order, each narrowing what the one
/// before left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/scale_up_options.hpp"

namespace capstan::engine::scale_up {

/// The choice with its reasons. Nothing is chosen when there was nothing to choose from, or a stage
/// whose fallback is `fail` failed; `because` says which.
struct Choice {
    std::optional<std::uint32_t> option;  ///< index into the question's options
    std::string because;
    std::vector<StageVerdict> stages;  ///< those that were asked, in order
};

/// Stops as soon as one option is left. What is still tied after the last stage falls to the lowest
/// group id.
///     least_waste keeps b, c; random keeps c                ->  c
///     least_waste fails, on_error = skip; most_pods keeps a  ->  a
Choice choose(const std::vector<Stage>& chain, const ScaleUpQuestion& question,
              const CallContext& call_context);

// Options as plugins are asked about them.

/// Asks the expander chain. The pods are described once for all rounds of a pass, and not before a
/// plugin is to see them. Borrows its arguments.
class Question {
public:
    /// `pods` by pod group: those that wait now, and only they will be asked about.
    Question(const pass_context::PassContext& context, const Policies& policies,
             const CallContext& call_context, const std::vector<int>& pods);

    /// By pod group: where it is in the question.
    const std::vector<std::uint32_t>& places() const noexcept { return places_; }

    /// Which of the options, ordered by group, and why. `pods` by pod group: those still to be
    /// helped. Each round has a seed of its own, made of the call context's seed and `now` and the
    /// number of the round.
    Choice ask(const std::vector<Option>& options, const std::vector<int>& pods,
               const QuotaTracker& quotas);

private:
    ScaleUpOption describe_option(const Option& option, const QuotaTracker& quotas) const;
    void describe_pods(const std::vector<int>& pods);

    const pass_context::PassContext* context_;
    const Policies* policies_;
    CallContext call_context_;
    std::int64_t round_ = 0;
    std::vector<scheduling::PodGroupIndex> pod_groups_;  // by place
    std::vector<std::uint32_t> places_;
    ScaleUpQuestion question_;
};

}  // namespace capstan::engine::scale_up
