#include "decide.hpp"

#include <algorithm>
#include <utility>

#include <capstan/selector_text.hpp>
#include <capstan/sentence.hpp>

#include "fallen_back.hpp"

namespace capstan::replicas {
namespace {

class Decider {
public:
    Decider(const Balancer& balancer, const Pods& pods, const Config& config, Time now)
        : balancer_(balancer), pods_(pods), config_(config), now_(now) {
        out_.problems = balancer.problems;
    }

    Decision decide(const std::vector<Reading>& readings) {
        for (std::size_t i = 0; i < readings.size(); ++i)
            look_at(balancer_.targets[i], readings[i]);
        if (balancer_.selector) {
            out_.observed = pods_.count(balancer_.ns, *balancer_.selector, nullptr, now_, {}).total;
        }
        if (!balancer_.policy) return std::move(out_);
        out_.is_placed = true;
        out_.placement = place(request_);
        plan(readings);
        if (out_.placement.overflow > 0) complain_of_overflow();
        return std::move(out_);
    }

private:
    void complain(Phase phase, const Target& target, const std::string& what) {
        out_.problems.push_back({phase, "target " + target.name + ": " + what});
    }

    void look_at(const Target& target, const Reading& reading) {
        TargetState state{.name = target.name};
        if (reading.scale) state.replicas = reading.scale->replicas;
        // A target that cannot be read at the moment counts as it was when it was read last.
        const bool is_gone = reading.error && reading.error->code == ErrorCode::not_found;
        if (reading.error) complain(Phase::scale_polling, target, reading.error->message);
        const std::optional<Scale>& last_scale = reading.scale ? reading.scale : reading.before;
        if (last_scale && !is_gone) {
            const std::optional<PodCounts> pods = count(target, *last_scale);
            state.knows_pods = pods.has_value();
            state.pods = pods.value_or(PodCounts());
        }
        const auto weight = balancer_.weights.find(target.name);
        request_.targets.push_back(
            {.name = target.name,
             .min = target.min,
             .max = target.max,
             .weight = weight == balancer_.weights.end() ? 0 : weight->second,
             .total = state.pods.total,
             .blocked = state.pods.blocked,
             .late = state.pods.late,
             .before = desired_before(target.name),
             .is_gone = is_gone});
        out_.targets.push_back(std::move(state));
    }

    /// What the status says of the last decision; 0: nothing.
    std::int64_t desired_before(const std::string& target) const {
        const Json* const targets = balancer_.status.find("targets");
        if (targets == nullptr) return 0;
        for (const Json& each : targets->items()) {
            const Json* const desired = each.find("desired");
            if (each.text_at({"name"}) == target && desired != nullptr)
                return std::clamp<std::int64_t>(desired->integer().value_or(0), 0, unlimited);
        }
        return 0;
    }

    /// An empty selector would hold for every pod of the namespace.
    std::optional<PodCounts> count(const Target& target, const Scale& scale) {
        const auto selector = parse_selector(scale.selector);
        if (!selector || scale.selector.empty()) {
            complain(Phase::pod_listing, target,
                     selector ? "its Scale has no selector, so its pods are unknown"
                              : "its Scale's selector: " + selector.error().message);
            return std::nullopt;
        }
        const LabelSelector* const own = balancer_.selector ? &*balancer_.selector : nullptr;
        PodCounts out = pods_.count(balancer_.ns, *selector, own, now_, balancer_.startup_timeout);
        if (out.foreign > 0)
            complain(Phase::pod_labels, target,
                     "pod " + out.foreign_name +
                         (out.foreign > 1 ? " and " + std::to_string(out.foreign - 1) + " more"
                                          : std::string()) +
                         " without the labels of the Balancer's selector");
        if (out.next_due) due(*out.next_due);
        return out;
    }

    void due(Time at) { out_.next_due = std::min(out_.next_due.value_or(Time::max()), at); }

    void plan(const std::vector<Reading>& readings) {
        std::vector<ScalableTarget> scaled;
        std::int64_t gone = 0;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            TargetState& state = out_.targets[i];
            state.desired = out_.placement.replicas.at(state.name);
            if (state.replicas) {
                const std::int64_t ready = state.knows_pods ? state.pods.ready : *state.replicas;
                scaled.push_back({state.name, *state.replicas, state.desired, ready});
                continue;
            }
            if (request_.targets[i].is_gone) {
                gone += state.desired;
            } else if (const auto& before = readings[i].before; before) {
                out_.stuck += std::max<std::int64_t>(state.desired - before->replicas, 0);
            }
        }
        // Growth of a target that is gone: other targets have been asked for the part that does not
        // overflow, so only the overflow is stuck.
        out_.stuck += request_.falls_back ? std::min(gone, out_.placement.overflow) : gone;
        const std::optional<Time> held_until =
            hold_end(balancer_, out_.placement.fallback, config_.fallback_hold, now_);
        if (held_until) due(*held_until);
        out_.steps = plan_steps(std::move(scaled), balancer_.replicas, config_.step_limit,
                                held_until.has_value());
    }

    /// The number is not in the text, or every change of it would be an Event.
    void complain_of_overflow() {
        const std::string names = names_not_starting(out_.targets);
        const std::string why =
            names.empty() ? "all targets of the policy are at their maximum"
                          : "pods do not start in " + names + ", and no target can take more";
        out_.problems.push_back(
            {Phase::overflow, "replicas have nowhere to go (see status.overflow): " + why});
    }

    const Balancer& balancer_;
    const Pods& pods_;
    const Config& config_;
    const Time now_;
    PlacementRequest request_{.policy = balancer_.policy.value_or(Policy::priority),
                              .wanted = balancer_.replicas,
                              .targets = {},
                              .order = balancer_.order,
                              .falls_back = balancer_.startup_timeout.has_value(),
                              .rounding = config_.rounding};
    Decision out_;
};

}  // namespace

std::string names_not_starting(const std::vector<TargetState>& targets) {
    std::vector<std::string> names;
    for (const TargetState& target : targets) {
        if (target.pods.blocked > 0 || (!target.replicas && target.desired > 0))
            names.push_back(target.name);
    }
    return listed(names, [](const std::string& name) { return name; });
}

Decision decide(const Balancer& balancer, const std::vector<Reading>& readings, const Pods& pods,
                const Config& config, Time now) {
    return Decider(balancer, pods, config, now).decide(readings);
}

}  // namespace capstan::replicas
