#include "engine/limits/totals.hpp"

#include <map>

#include <capstan/sentence.hpp>

namespace capstan::engine::limits {
namespace {

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

std::string ResourceTotal::shown(std::int64_t amount) const {
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

}  // namespace capstan::engine::limits
