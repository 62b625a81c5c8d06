#include "engine/limits/limits.hpp"

#include <algorithm>
#include <map>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

namespace capstan::engine::limits {
namespace {

std::int64_t plus_times(std::int64_t sum, std::int64_t amount, std::int64_t times) {
    return detail::saturated(detail::Int128{amount} * times + sum);
}

/// GPUs of all makes, including resources that only the settings declare as GPUs.
std::int64_t gpus(const Resources& capacity, const std::map<std::string, Bound>& types) {
    std::int64_t out = 0;
    for (const auto& [resource, amount] : capacity) {
        if (is_gpu(resource) || types.contains(resource)) out = plus_times(out, amount, 1);
    }
    return out;
}

/// The maximum of a total of a Budget.
std::int64_t max_of(const ResourceTotal& total) {
    CAPSTAN_ASSERT(total.bound.max, "a budget has a total without a maximum");
    return *total.bound.max;
}

}  // namespace

bool is_gpu(std::string_view resource) noexcept {
    return resource.ends_with("/gpu") || resource.starts_with("gpu.intel.com/");
}

bool counts(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    const std::optional<snapshot::Symbol> type = snapshot::find_label(cluster, node.labels, "type");
    return !type || cluster.text(*type) != "virtual-kubelet";
}

void ResourceTotal::count(const Resources& capacity, std::int64_t times) {
    used = plus_times(used, of(capacity), times);
}

std::string ResourceTotal::format(std::int64_t amount) const {
    if (name == "memory") return format_amount(name, amount);
    if (name != "cpu") return std::to_string(amount);
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : format_amount(name, amount);
}

std::vector<ResourceTotal> make_totals(const Settings& settings) {
    const auto amount = [](const std::string& resource) {
        return [resource](const Resources& capacity) { return capacity.amount(resource); };
    };
    std::vector<ResourceTotal> out;
    out.push_back({"cpu", settings.cpu, amount("cpu")});
    out.push_back({"memory", settings.memory, amount("memory")});
    out.push_back({"nodes", settings.nodes, [](const Resources&) { return std::int64_t{1}; }});
    out.push_back({"gpu", settings.gpu, [types = settings.gpu_types](const Resources& capacity) {
                       return gpus(capacity, types);
                   }});
    for (const auto& [resource, bound] : settings.gpu_types)
        out.push_back({resource, bound, amount(resource)});
    return out;
}

Budget::Budget(const Snapshot& snapshot, const std::vector<UpcomingNodes>& upcoming,
               const Settings& settings)
    : totals_(make_totals(settings)) {
    std::erase_if(totals_, [](const ResourceTotal& total) { return !total.bound.max; });
    if (totals_.empty()) return;
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = cluster.node(n);
        if (counts(cluster, node)) use(*node.capacity, 1);
    }
    for (const UpcomingNodes& more : upcoming) use(more.node.capacity, more.nodes);
}

Allowed Budget::allows(const NodeTemplate& node, int wanted) const {
    Allowed out{.nodes = wanted};
    for (const ResourceTotal& total : totals_) {
        const std::int64_t needed = total.of(node.capacity);
        if (needed <= 0) continue;
        const std::int64_t left = std::max<std::int64_t>(0, max_of(total) - total.used);
        if (left / needed >= out.nodes) continue;
        out.nodes = static_cast<int>(left / needed);
        out.total = total.name;
        out.because = "max cluster " + total.name + " limit reached: " + total.format(total.used) +
                      " of " + total.format(max_of(total)) + " used, a new node needs " +
                      total.format(needed);
    }
    return out;
}

Resources Budget::left() const {
    Resources out;
    for (const ResourceTotal& total : totals_)
        out.set(total.name, std::max<std::int64_t>(0, max_of(total) - total.used));
    return out;
}

void Budget::take(const NodeTemplate& node, int nodes) { use(node.capacity, nodes); }

bool Budget::counts_in(const NodeTemplate& node, std::string_view total) const {
    return std::ranges::any_of(totals_, [&](const ResourceTotal& one) {
        return one.name == total && one.of(node.capacity) > 0;
    });
}

void Budget::use(const Resources& capacity, std::int64_t nodes) {
    for (ResourceTotal& total : totals_) {
        total.count(capacity, nodes);
    }
}

}  // namespace capstan::engine::limits
