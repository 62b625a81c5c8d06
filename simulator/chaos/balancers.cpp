#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include <capstan/sentence.hpp>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

/// The controller gathers changes for half a second and looks at all Balancers every 30 seconds.
constexpr Duration balancer_patience = std::chrono::minutes(2);

std::string bounds_text(const BalancerState::Target& target) {
    return std::to_string(target.min) + " to " +
           (target.max ? std::to_string(*target.max) : "any number");
}

/// A target that is asked for a number outside its bounds; empty: there is none.
std::string misplaced(const BalancerState& balancer) {
    for (const BalancerState::Target& target : balancer.targets) {
        if (!target.wanted) continue;
        const bool is_above = target.max && *target.wanted > std::max(*target.max, target.min);
        if (*target.wanted < target.min || is_above)
            return "target " + target.name + " is asked for " + counted(*target.wanted, "replica") +
                   ", its bounds are " + bounds_text(target);
    }
    return {};
}

/// Empty: the sum is right. Without one of the targets fewer replicas may be asked for: those of
/// the missing target have nowhere to go if pods do not start elsewhere.
std::string wrong_sum(const BalancerState& balancer) {
    std::int64_t asked = 0, minima = 0, maxima = 0, waiting = 0;
    bool has_all = true, is_bounded = true;
    for (const BalancerState::Target& target : balancer.targets) {
        has_all = has_all && target.wanted;
        is_bounded = is_bounded && target.max;
        asked += target.wanted.value_or(0);
        minima += target.min;
        maxima += target.max ? std::max(*target.max, target.min) : 0;
        waiting += std::max(target.waiting, 0);
    }
    const std::int64_t wanted = std::max<std::int64_t>(balancer.replicas, minima);
    const std::int64_t least = is_bounded ? std::min(wanted, maxima) : wanted;
    std::string sum = counted(asked, "replica") + (asked == 1 ? " is" : " are") +
                      " asked of all targets, " + std::to_string(balancer.replicas) +
                      (balancer.replicas == 1 ? " is wanted" : " are wanted");
    if (has_all && asked < least) return sum;
    if (asked > wanted + waiting)
        return sum + ", and " + counted(waiting, "pod") + (waiting == 1 ? " waits" : " wait");
    return {};
}

class BalancersInvariant final : public Invariant {
public:
    std::string_view name() const override { return "balancers"; }

    std::vector<std::string> on_balancers(const std::vector<BalancerState>& balancers,
                                          Time now) override {
        std::vector<std::string> out;
        for (const BalancerState& balancer : balancers) {
            std::string problem = misplaced(balancer);
            if (problem.empty()) problem = wrong_sum(balancer);
            if (problem.empty() || !balancer.is_served) {
                wrong_.erase(balancer.name);
                continue;
            }
            Wrong& wrong = wrong_.try_emplace(balancer.name, Wrong{now}).first->second;
            if (wrong.is_reported || now - wrong.since < balancer_patience) continue;
            wrong.is_reported = true;
            out.push_back("Balancer " + balancer.name + ": " + problem);
        }
        return out;
    }

private:
    struct Wrong {
        Time since{};
        bool is_reported = false;
    };
    std::map<std::string, Wrong> wrong_;  ///< by Balancer
};

}  // namespace

std::unique_ptr<Invariant> balancers_invariant() { return std::make_unique<BalancersInvariant>(); }

}  // namespace capstan::simulator::chaos
