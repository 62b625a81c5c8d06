/// From how many replicas each target has to how many it is to have: what is written now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace capstan::replicas {

/// One target that can be written.
struct Scaled {
    std::string name{};
    std::int64_t current = 0;  ///< its Scale's spec.replicas
    std::int64_t goal = 0;
    std::int64_t ready = 0;  ///< of its pods
    bool operator==(const Scaled&) const = default;
};

/// How gently replicas are moved.
struct StepLimit {
    std::optional<std::int64_t> most{};     ///< at most so many of them in one step
    std::optional<std::int64_t> percent{};  ///< or of what is wanted, rounded up

    bool is_on() const noexcept { return most.has_value() || percent.has_value(); }
    /// At least one, or nothing would ever move.
    std::int64_t step(std::int64_t wanted) const noexcept;
    bool operator==(const StepLimit&) const = default;
};

struct Step {
    std::string name{};
    std::int64_t from = 0, to = 0;
    bool is_growth() const noexcept { return to > from; }
    bool operator==(const Step&) const = default;
};

struct Steps {
    std::vector<Step> grow{}, shrink{};  ///< to be written in this order; by name
    std::int64_t put_off = 0;            ///< replicas that move later: easing, or holding on
    bool operator==(const Steps&) const = default;
};

/// With easing there are never fewer ready pods than wanted, and never more replicas than the goal
/// and one step above it: others grow by a step, and as far as pods are ready there, these shrink.
/// What changes the sum is no move and not put off. `holds`: no target shrinks at present.
Steps plan_steps(std::vector<Scaled> targets, std::int64_t wanted, const StepLimit& easing,
                 bool holds);

/// After growth failed: shrinks by so many less in all, that no target has fewer replicas for it.
std::vector<Step> hold_back(std::vector<Step> shrink, std::int64_t failed);

}  // namespace capstan::replicas
