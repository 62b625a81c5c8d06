#include "status.hpp"

#include <algorithm>

#include <capstan/selector_text.hpp>
#include <capstan/sentence.hpp>

#include "conditions.hpp"

namespace capstan::replicas {
namespace {

Condition balancing_of(const Balancer& balancer, const Decision& decision) {
    Condition out{.type = std::string(balancing),
                  .is_true = decision.problems.empty(),
                  .reason = "Completed",
                  .message = "Balancer running OK",
                  .observed_generation = balancer.generation};
    if (out.is_true) return out;
    const auto first = std::ranges::min_element(decision.problems, {}, &Problem::phase);
    out.reason = name_of(first->phase);
    out.message = problems_text(decision.problems);
    return out;
}

/// While it is False the generation stays that in which it became so: see hold_end.
Condition fallen_back_of(const Balancer& balancer, const Decision& decision) {
    Condition out{.type = std::string(fallen_back),
                  .is_true = decision.placement.fallback > 0,
                  .reason = "PodsDoNotStart",
                  .message = fallback_text(decision),
                  .observed_generation = balancer.generation};
    if (out.is_true) return out;
    out.reason = names_not_starting(decision.targets).empty() ? "PodsStart" : "NoOtherTarget";
    out.message = settled_text(decision);
    const auto before = find_condition(balancer.status, fallen_back);
    if (before && !before->is_true) out.observed_generation = before->observed_generation;
    return out;
}

Json targets_of(const Decision& decision) {
    Json out = Json::array();
    for (const TargetState& target : decision.targets) {
        Json each = Json::object({{"name", target.name}});
        if (decision.is_placed) each.set("desired", target.desired);
        if (target.replicas) each.set("replicas", *target.replicas);
        each.set("pods", target.pods.total);
        each.set("ready", target.pods.ready);
        each.set("blocked", target.pods.blocked);
        out.append(std::move(each));
    }
    return out;
}

}  // namespace

Json make_status(const Balancer& balancer, const Decision& decision, Time now) {
    Json out = Json::object();
    out.set("observedGeneration", balancer.generation);
    out.set("replicas", decision.observed);
    out.set("selector", balancer.selector ? format_selector(*balancer.selector) : std::string());
    out.set("missing", decision.placement.missing);
    out.set("overflow", decision.placement.overflow);
    out.set("fallback", decision.placement.fallback);
    out.set("targets", targets_of(decision));
    out.at("conditions")
        .append(write_condition(balancing_of(balancer, decision), balancer.status, now));
    out.at("conditions")
        .append(write_condition(fallen_back_of(balancer, decision), balancer.status, now));
    return out;
}

bool is_same(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) {
        return a.members().size() == b.members().size() &&
               std::ranges::all_of(a.members(), [&](const Json::Member& member) {
                   const Json* other = b.find(member.first);
                   return other != nullptr && is_same(member.second, *other);
               });
    }
    if (a.is_array() && b.is_array()) return std::ranges::equal(a.items(), b.items(), is_same);
    return a == b;
}

std::string problems_text(const std::vector<Problem>& problems) {
    std::string out;
    for (const Problem& problem : problems) out += (out.empty() ? "" : "; ") + problem.message;
    return out;
}

std::string fallback_text(const Decision& decision) {
    const std::int64_t n = decision.placement.fallback;
    return counted(n, "replica") + (n == 1 ? " is" : " are") +
           " moved to other targets: pods do not start in " + names_not_starting(decision.targets);
}

std::string settled_text(const Decision& decision) {
    const std::string names = names_not_starting(decision.targets);
    if (names.empty()) return "all replicas are on their own targets";
    return "no other target can take the replicas that do not start in " + names;
}

}  // namespace capstan::replicas
