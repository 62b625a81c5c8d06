#include "engine/scale_up/size_order.hpp"

#include <algorithm>
#include <numeric>

namespace capstan::engine {
namespace {

using Ratio = std::pair<std::int64_t, std::int64_t>;

/// Of allocatable cpu to memory, in lowest terms: what matters is the proportion.
Ratio ratio_of(const NodeShape& shape) {
    const std::int64_t cpu = std::max<std::int64_t>(shape.allocatable.amount("cpu"), 1);
    const std::int64_t memory = std::max<std::int64_t>(shape.allocatable.amount("memory"), 1);
    const std::int64_t common = std::gcd(cpu, memory);
    return {cpu / common, memory / common};
}

}  // namespace

SizeOrders::SizeOrders(const Rules& rules) : rules_(&rules) {
    sizes_.resize(rules.subjects().size());
    for (Subject s = 0; s < sizes_.size(); ++s) {
        for (const Request& request : rules.requests(s)) {
            if (request.resource == cpu_index) sizes_[s].cpu = request.amount;
            if (request.resource == memory_index) sizes_[s].memory = request.amount;
        }
    }
}

SizeOrder SizeOrders::of(ShapeId shape) {
    const Ratio ratio = ratio_of(rules_->shapes()[shape]);
    SizeOrder& order = by_ratio_[ratio];
    if (order != nullptr) return order;

    const double per_cpu = 1.0 / static_cast<double>(ratio.first);
    const double per_memory = 1.0 / static_cast<double>(ratio.second);
    std::vector<std::pair<double, Subject>> scored(sizes_.size());
    for (Subject s = 0; s < scored.size(); ++s) {
        // The greatest comes first when both parts ascend.
        scored[s] = {-(static_cast<double>(sizes_[s].cpu) * per_cpu +
                       static_cast<double>(sizes_[s].memory) * per_memory),
                     s};
    }
    std::ranges::sort(scored);
    std::vector<Subject> subjects(scored.size());
    std::ranges::transform(scored, subjects.begin(), [](const auto& pair) { return pair.second; });
    order = std::make_shared<const std::vector<Subject>>(std::move(subjects));
    return order;
}

}  // namespace capstan::engine
