/// What is written now, on the way from the replicas that each target has to those that it is to
/// have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace capstan::replicas {

/// A target whose Scale can be written.
struct ScalableTarget {
    std::string name{};
    std::int64_t current = 0;  ///< its Scale's spec.replicas
    std::int64_t goal = 0;
    std::int64_t ready = 0;  ///< how many of its pods are ready
    bool operator==(const ScalableTarget&) const = default;
};

/// How many replicas move from target to target in one step. Without a limit all move at once.
struct StepLimit {
    std::optional<std::int64_t> most{};     ///< replicas
    std::optional<std::int64_t> percent{};  ///< of the replicas wanted, rounded up

    bool is_on() const noexcept { return most.has_value() || percent.has_value(); }
    /// The replicas of one step: at least one, or nothing would ever move.
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
    std::int64_t put_off = 0;            ///< replicas that move later, for the limit or the hold
    bool operator==(const Steps&) const = default;
};

/// Replicas move in rounds: some targets grow by one step, and as many pods as are then ready above
/// the wanted number let other targets shrink. So with a limit no step leaves fewer ready pods than
/// wanted, and there are never more replicas than the goals and one step. A change of the sum of
/// replicas is not a move, and is not put off. `holds`: no target shrinks at present.
Steps plan_steps(std::vector<ScalableTarget> targets, std::int64_t wanted,
                 const StepLimit& step_limit, bool holds);

/// Shrinks by `failed` replicas less in all. For growth that could not be written, so that it does
/// not reduce the sum of replicas.
std::vector<Step> shrink_less(std::vector<Step> shrink, std::int64_t failed);

}  // namespace capstan::replicas
