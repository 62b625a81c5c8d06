#include "simulation/control_plane/scheduling/unschedulable.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/scheduling/placement.hpp"

namespace capstan::simulation {
namespace {

using engine::Predicate;
using engine::Refusal;

/// The scheduler's words without our numbers behind them.
std::string_view without_numbers(std::string_view sentence) {
    return sentence.substr(0, sentence.find(": "));
}

/// One for each thing that is missing, as the scheduler counts them.
std::vector<std::string> reasons_in(const engine::Refusal& refusal) {
    if (refusal.predicate == Predicate::taint_toleration) return {refusal.sentence};
    std::vector<std::string> out;
    std::string_view rest = refusal.sentence;
    if (refusal.predicate != Predicate::node_resources_fit)
        return {std::string(without_numbers(rest))};
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("; "), rest.size());
        out.emplace_back(without_numbers(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return out;
}

std::string explain(const engine::Placement& placement, engine::Subject subject) {
    const std::size_t nodes = placement.rules().cluster().node_count();
    if (nodes == 0) return "no nodes available to schedule pods";
    std::map<std::string, int> counts;
    for (engine::Slot slot = 0; slot < nodes; ++slot)
        for (std::string& reason : reasons_in(placement.why_not(subject, slot)))
            ++counts[std::move(reason)];
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts)
        parts.push_back(std::to_string(count) + " " + reason);
    std::ranges::sort(parts);
    std::string out = "0/" + std::to_string(nodes) + " nodes are available: ";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
    return out + ".";
}

}  // namespace

std::map<engine::ClassId, std::string> explain_unschedulable(
    const engine::Cluster& cluster, const std::set<engine::ClassId>& classes) {
    std::map<engine::ClassId, std::string> out;
    if (classes.empty()) return out;
    engine::Rules rules(cluster, {classes.begin(), classes.end()}, {});
    const engine::Placement placement(rules);
    for (engine::Subject s = 0; s < rules.subjects().size(); ++s)
        out[rules.subjects()[s]] = explain(placement, s);
    return out;
}

}  // namespace capstan::simulation
