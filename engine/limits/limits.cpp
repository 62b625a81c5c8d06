#include "engine/limits/limits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

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

/// NVIDIA's feature discovery writes the last one.
constexpr std::array<std::string_view, 5> labels_of_gpus{
    "k8s.amazonaws.com/accelerator", "cloud.google.com/gke-accelerator",
    "accelerator",  // Azure
    "cluster-api/accelerator", well_known::nvidia_gpu_product_label};

/// A key of Settings::gpu_types is the name of a resource, or the value of a GPU label.
bool is_resource(std::string_view type) noexcept {
    return type.find('/') != std::string_view::npos;
}

/// The GPUs of one type: those of the resource, or all GPUs of nodes with the label's value.
std::int64_t gpus_of_type(const CountedNode& node, const std::string& type,
                          const std::map<std::string, Bound>& types) {
    if (is_resource(type)) return node.capacity().amount(type);
    return node.has_gpu_label(type) ? gpus(node.capacity(), types) : 0;
}

}  // namespace

std::span<const std::string_view> gpu_labels() noexcept { return labels_of_gpus; }

const Resources& CountedNode::capacity() const noexcept {
    return template_ != nullptr ? template_->capacity : *row_->capacity;
}

bool CountedNode::has_gpu_label(std::string_view value) const {
    return std::ranges::any_of(labels_of_gpus, [&](std::string_view key) {
        if (template_ != nullptr) {
            const auto at = template_->labels.find(std::string(key));
            return at != template_->labels.end() && at->second == value;
        }
        const auto found = snapshot::find_label(*cluster_, row_->labels, key);
        return found && cluster_->text(*found) == value;
    });
}

bool is_gpu(std::string_view resource) noexcept {
    return resource.ends_with("/gpu") || resource.starts_with("gpu.intel.com/");
}

bool counts(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    const std::optional<snapshot::Symbol> type = snapshot::find_label(cluster, node.labels, "type");
    return !type || cluster.text(*type) != "virtual-kubelet";
}

void ResourceTotal::count(const CountedNode& node, std::int64_t times) {
    used = plus_times(used, of(node), times);
}

std::string ResourceTotal::format(std::int64_t amount) const {
    if (name == "memory") return format_amount(name, amount);
    if (name != "cpu") return std::to_string(amount);
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : format_amount(name, amount);
}

std::vector<ResourceTotal> make_totals(const Settings& settings) {
    const auto amount = [](const std::string& resource) {
        return [resource](const CountedNode& node) { return node.capacity().amount(resource); };
    };
    std::vector<ResourceTotal> out;
    out.push_back({"cpu", settings.cpu, amount("cpu")});
    out.push_back({"memory", settings.memory, amount("memory")});
    out.push_back({"nodes", settings.nodes, [](const CountedNode&) { return std::int64_t{1}; }});
    const std::map<std::string, Bound>& types = settings.gpu_types;
    out.push_back({"gpu", settings.gpu,
                   [types](const CountedNode& node) { return gpus(node.capacity(), types); }});
    for (const auto& [type, bound] : types)
        out.push_back({type, bound, [type = type, types](const CountedNode& node) {
                           return gpus_of_type(node, type, types);
                       }});
    return out;
}

std::vector<std::string> describe_unused_limits(const snapshot::Cluster& cluster,
                                                std::span<const NodeTemplate* const> templates,
                                                const Settings& settings) {
    std::vector<std::string> out;
    if (std::ranges::count(templates, nullptr) > 0) return out;
    for (const auto& [type, bound] : settings.gpu_types) {
        const auto has_type = [&](const CountedNode& node) {
            return gpus_of_type(node, type, settings.gpu_types) > 0;
        };
        bool is_used = std::ranges::any_of(
            templates, [&](const NodeTemplate* node) { return has_type(*node); });
        for (NodeIndex n = 0; !is_used && n < cluster.node_count(); ++n)
            is_used = has_type({cluster, cluster.node(n)});
        if (!is_used)
            out.push_back("limits.gpu_types." + std::string(is_resource(type) ? "\"" : "") + type +
                          (is_resource(type) ? "\"" : "") +
                          " limits nothing: no node and no node group has such GPUs; name the "
                          "resource, or the value of the GPU node label");
    }
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
        if (counts(cluster, node)) use({cluster, node}, 1);
    }
    for (const UpcomingNodes& more : upcoming) {
        CAPSTAN_ASSERT(more.nodes >= 0, "fewer than no nodes are upcoming");
        use(more.node, more.nodes);
    }
}

Allowed Budget::allows(const NodeTemplate& node, int wanted) const {
    Allowed out{.nodes = wanted};
    for (const ResourceTotal& total : totals_) {
        const std::int64_t needed = total.of(node);
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

void Budget::take(const NodeTemplate& node, int nodes) { use(node, nodes); }

bool Budget::counts_in(const NodeTemplate& node, std::string_view total) const {
    return std::ranges::any_of(
        totals_, [&](const ResourceTotal& one) { return one.name == total && one.of(node) > 0; });
}

void Budget::use(const CountedNode& node, std::int64_t nodes) {
    for (ResourceTotal& total : totals_) {
        total.count(node, nodes);
    }
}

}  // namespace capstan::engine::limits
