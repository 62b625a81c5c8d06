#include "steps.hpp"

#include <algorithm>
#include <limits>

#include <capstan/detail/int128.hpp>

#include "shares.hpp"

namespace capstan::replicas {
namespace {

std::int64_t sum(const std::vector<Step>& steps) {
    detail::Int128 out = 0;
    for (const Step& step : steps)
        out += step.is_growth() ? step.to - step.from : step.from - step.to;
    return detail::saturated(out);
}

/// Cuts the steps to `most` replicas in sum, each in proportion to its size. Returns the replicas
/// cut off.
std::int64_t cut_steps(std::vector<Step>& steps, std::int64_t most) {
    const std::int64_t all = sum(steps);
    if (all <= most) return 0;
    std::vector<Sharer> sharers;
    for (const Step& step : steps) {
        const std::int64_t by = std::abs(step.to - step.from);
        sharers.push_back({step.name, by, 0, by});
    }
    share_out(std::max<std::int64_t>(most, 0), sharers, Rounding::least_error);
    for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i].to = steps[i].from + (steps[i].is_growth() ? sharers[i].has : -sharers[i].has);
    std::erase_if(steps, [](const Step& step) { return step.to == step.from; });
    return all - std::max<std::int64_t>(most, 0);
}

struct Sums {
    detail::Int128 current = 0, goal = 0, ready = 0;
};

Sums sums_of(const std::vector<ScalableTarget>& targets) {
    Sums out;
    for (const ScalableTarget& target : targets) {
        out.current += target.current;
        out.goal += target.goal;
        out.ready += std::min(target.ready, target.current);
    }
    return out;
}

/// Cuts the removal of ready pods to `spare` in sum. Pods that are not ready are removed first, and
/// without a limit. Returns the replicas cut off.
std::int64_t cut_ready(std::vector<Step>& shrink, const std::vector<ScalableTarget>& targets,
                       std::int64_t spare) {
    std::vector<Step> of_ready;
    for (Step& step : shrink) {
        const std::int64_t ready =
            std::ranges::find(targets, step.name, &ScalableTarget::name)->ready;
        const std::int64_t after_others = std::max(step.to, std::min(ready, step.from));
        if (step.to < after_others) of_ready.push_back({step.name, after_others, step.to});
        step.to = after_others;
    }
    const std::int64_t put_off = cut_steps(of_ready, spare);
    for (const Step& step : of_ready)
        std::ranges::find(shrink, step.name, &Step::name)->to = step.to;
    std::erase_if(shrink, [](const Step& step) { return step.to == step.from; });
    return put_off;
}

}  // namespace

std::int64_t StepLimit::step(std::int64_t wanted) const noexcept {
    std::int64_t out = most.value_or(std::numeric_limits<std::int64_t>::max());
    if (percent)
        out = std::min(out, detail::saturated((detail::Int128(wanted) * *percent + 99) / 100));
    return std::max<std::int64_t>(out, 1);
}

Steps plan_steps(std::vector<ScalableTarget> targets, std::int64_t wanted,
                 const StepLimit& step_limit, bool holds) {
    std::ranges::sort(targets, {}, &ScalableTarget::name);
    Steps out;
    for (const ScalableTarget& target : targets) {
        if (target.goal > target.current)
            out.grow.push_back({target.name, target.current, target.goal});
        if (target.goal < target.current)
            out.shrink.push_back({target.name, target.current, target.goal});
    }
    if (holds) out.put_off += cut_steps(out.shrink, 0);
    if (!step_limit.is_on()) return out;
    const Sums sums = sums_of(targets);
    const std::int64_t above =
        detail::saturated(sums.goal - sums.current) + step_limit.step(wanted);
    out.put_off += cut_steps(out.grow, std::max<std::int64_t>(above, 0));
    const auto needed = std::min<detail::Int128>(wanted, sums.goal);
    const std::int64_t spare = std::max<std::int64_t>(detail::saturated(sums.ready - needed), 0);
    out.put_off += cut_ready(out.shrink, targets, spare);
    return out;
}

std::vector<Step> shrink_less(std::vector<Step> shrink, std::int64_t failed) {
    if (failed > 0) cut_steps(shrink, std::max<std::int64_t>(sum(shrink) - failed, 0));
    return shrink;
}

}  // namespace capstan::replicas
