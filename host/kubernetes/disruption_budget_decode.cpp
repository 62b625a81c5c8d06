#include "kubernetes/disruption_budget_decode.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "kubernetes/metadata.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes {
namespace {

template <class Integer>
Integer decode_count(const JsonPlace& place) {
    const auto number = place.integer(0, std::numeric_limits<Integer>::max());
    return static_cast<Integer>(number.value_or(0));
}

}  // namespace

std::optional<engine::DisruptionBudgetObject> decode_disruption_budget(const JsonPlace& budget) {
    const JsonPlace status = budget["status"];
    ObjectMetadata metadata = decode_named(budget);
    const Complaints complaints(budget);
    engine::DisruptionBudgetObject out{
        .ns = std::move(metadata.ns),
        .name = std::move(metadata.name),
        .selector = decode_label_selector(budget["spec"]["selector"])};
    if (!metadata.is_identified || complaints.any()) return std::nullopt;
    out.disruptions_allowed = decode_count<int>(status["disruptionsAllowed"]);
    // An API server asks the same before it lets a pod be evicted.
    out.is_observed =
        decode_count<std::int64_t>(status["observedGeneration"]) >= metadata.generation;
    return out;
}

}  // namespace capstan::kubernetes
