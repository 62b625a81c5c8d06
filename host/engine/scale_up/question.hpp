/// Options as plugins are asked about them.
#pragma once

#include <vector>

#include "engine/pass.hpp"
#include "engine/scale_up/options.hpp"

namespace capstan::engine {

/// Asks the expander chain. The pods are described once for all rounds of a pass, and not before a
/// plugin is to see them. Borrows its arguments.
class Question {
public:
    /// `pods` by subject: those that wait now, and only they will be asked about.
    Question(const Scene& scene, const Policies& policies, const Circumstances& circumstances,
             const std::vector<int>& pods);

    /// By subject: where it is in the question.
    const std::vector<std::uint32_t>& places() const noexcept { return places_; }

    /// Which of the options, ordered by group, and why. `pods` by subject: those still to be
    /// helped. Each round has a seed of its own, made of the circumstances' seed and `now` and the
    /// number of the round.
    Choice ask(const std::vector<Option>& options, const std::vector<int>& pods,
               const Ledger& ledger);

private:
    ScaleUpOption describe_option(const Option& option, const Ledger& ledger) const;
    void describe_pods(const std::vector<int>& pods);

    const Scene* scene_;
    const Policies* policies_;
    Circumstances circumstances_;
    std::int64_t round_ = 0;
    std::vector<Subject> subjects_;  // by place
    std::vector<std::uint32_t> places_;
    ScaleUpQuestion question_;
};

}  // namespace capstan::engine
