#include "engine/scale_up/limits.hpp"

#include <algorithm>
#include <map>

#include <capstan/sentence.hpp>

namespace capstan::engine {
namespace {

/// Stops at the ends of int64, as Resources do.
std::int64_t plus_times(std::int64_t sum, std::int64_t amount, std::int64_t times) {
    return detail::saturated(detail::Int128{amount} * times + sum);
}

/// GPUs of all makes, those included that only the operator knows to be GPUs.
std::int64_t gpus(const Resources& capacity, const std::map<std::string, Bound>& types) {
    std::int64_t out = 0;
    for (const auto& [resource, amount] : capacity) {
        if (is_gpu(resource) || types.contains(resource)) out = plus_times(out, amount, 1);
    }
    return out;
}

/// As people count: cores, bytes with a suffix, nodes and GPUs one by one.
std::string shown(std::string_view total, std::int64_t amount) {
    if (total == "memory") return format_amount(total, amount);
    if (total != "cpu") return std::to_string(amount);
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : format_amount(total, amount);
}

bool is_virtual(const Cluster& cluster, const NodeRow& node) {
    const std::optional<Symbol> type = find_label(cluster, node.labels, "type");
    return type && cluster.text(*type) == "virtual-kubelet";
}

}  // namespace

bool is_gpu(std::string_view resource) noexcept {
    return resource.ends_with("/gpu") || resource.starts_with("gpu.intel.com/");
}

Budget::Budget(const Snapshot& snapshot, const std::vector<NodeTemplate>& upcoming,
               const Settings& settings) {
    const auto limit = [this](std::string name, const Bound& bound, auto of) {
        if (bound.max) totals_.push_back({std::move(name), *bound.max, std::move(of)});
    };
    const auto amount = [](const std::string& resource) {
        return [resource](const Resources& capacity) { return capacity.amount(resource); };
    };
    limit("cpu", settings.cpu, amount("cpu"));
    limit("memory", settings.memory, amount("memory"));
    limit("nodes", settings.nodes, [](const Resources&) { return std::int64_t{1}; });
    limit("gpu", settings.gpu, [types = settings.gpu_types](const Resources& capacity) {
        return gpus(capacity, types);
    });
    for (const auto& [resource, bound] : settings.gpu_types) {
        limit(resource, bound, amount(resource));
    }
    if (totals_.empty()) return;
    const Cluster& cluster = snapshot.cluster;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const NodeRow& node = cluster.node(n);
        if (!is_virtual(cluster, node)) use(*node.capacity, 1);
    }
    for (const NodeTemplate& node : upcoming) use(node.capacity, 1);
}

Allowed Budget::allows(const NodeTemplate& node, int wanted) const {
    Allowed out{.nodes = wanted};
    for (const Total& total : totals_) {
        const std::int64_t needed = total.of(node.capacity);
        if (needed <= 0) continue;
        const std::int64_t left = std::max<std::int64_t>(0, total.max - total.used);
        if (left / needed >= out.nodes) continue;
        out.nodes = static_cast<int>(left / needed);
        out.because = "cluster limit of " + total.name + ": " + shown(total.name, total.used) +
                      " of " + shown(total.name, total.max) + " used, a node takes " +
                      shown(total.name, needed);
    }
    return out;
}

void Budget::take(const NodeTemplate& node, int nodes) { use(node.capacity, nodes); }

void Budget::use(const Resources& capacity, std::int64_t nodes) {
    for (Total& total : totals_) {
        total.used = plus_times(total.used, total.of(capacity), nodes);
    }
}

}  // namespace capstan::engine
