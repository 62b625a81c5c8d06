#include "price.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/ranking.hpp>

namespace capstan::expanders {
namespace {

constexpr double gpu_unfitness = 1000;
constexpr double not_existing_factor = 2;
// Equal scores may differ in the last bits, because they are products and quotients of prices.
constexpr double rounding = 1e-9;

struct Cost {
    double score = 0;
    double nodes_per_hour = 0;
    double pods_per_hour = 0;
    std::int32_t nodes = 0;
};

std::string shortened(double number) {
    char out[48];
    std::snprintf(out, sizeof out, "%.4g", number);
    return out;
}

struct Cheaper {
    bool better(const Cost& a, const Cost& b) const { return a.score < b.score; }
    bool ties(const Cost& best, const Cost& other) const {
        return other.score <= best.score * (1 + rounding);
    }
    double score(const Cost& cost) const { return cost.score; }
    std::string describe(const Cost& cost) const {
        return "scores " + shortened(cost.score) + " (" + counted(cost.nodes, "node") + " at " +
               shortened(cost.nodes_per_hour) + " per hour, pods worth " +
               shortened(cost.pods_per_hour) + ")";
    }
};

/// What requests are worth per hour. A resource that is not requested is worth nothing.
class Worth {
public:
    explicit Worth(const PriceConfig& config) : config_(config) {}
    double of_pods(View<capstan_quantity> requested) const {
        const auto amount = [&](std::string_view resource) {
            return static_cast<double>(
                std::max<std::int64_t>(find(requested, resource).value_or(0), 0));
        };
        double out = of(amount("cpu") / 1000, amount("memory") / 0x1p30);
        for (const std::string& gpu : config_.gpu_resources)
            out += amount(gpu) * config_.gpu_per_hour;
        return out;
    }
    double of_stabilizing_pod() const { return of(0.5, 500.0 / 1024); }

private:
    double of(double cores, double gib) const {
        return cores * config_.cpu_per_hour + gib * config_.memory_gib_per_hour;
    }
    const PriceConfig& config_;
};

bool has_gpu(const TemplateView& node, const std::vector<std::string>& gpus) {
    return std::any_of(gpus.begin(), gpus.end(), [&](const std::string& gpu) {
        return find(node.capacity(), gpu).value_or(0) > 0;
    });
}

/// The cost of an option; nothing when its price or its cores are unknown.
std::optional<Cost> find_cost(const OptionView& option, std::uint32_t cluster_nodes,
                              const PriceConfig& config) {
    const auto price = option.price_per_hour();
    const auto node = option.node();
    if (!price || !std::isfinite(*price) || *price < 0 || !node || option.nodes() < 1)
        return std::nullopt;
    const double cores = static_cast<double>(find(node->capacity(), "cpu").value_or(0)) / 1000;
    if (cores <= 0) return std::nullopt;

    const Worth worth(config);
    const double stabilizer = worth.of_stabilizing_pod();
    Cost out{.nodes_per_hour = *price * option.nodes(),
             .pods_per_hour = worth.of_pods(option.requested()),
             .nodes = option.nodes()};
    out.score = suppressed_unfitness(cores, preferred_cores(cluster_nodes),
                                     has_gpu(*node, config.gpu_resources), option.nodes()) *
                (out.nodes_per_hour + stabilizer) / (out.pods_per_hour + stabilizer);
    if (!option.group_exists()) out.score *= not_existing_factor;
    return out;
}

}  // namespace

int preferred_cores(std::uint32_t cluster_nodes) noexcept {
    if (cluster_nodes <= 2) return 1;
    if (cluster_nodes <= 6) return 2;
    if (cluster_nodes <= 20) return 4;
    if (cluster_nodes <= 60) return 8;
    return cluster_nodes <= 200 ? 16 : 32;
}

double suppressed_unfitness(double cores, double preferred, bool has_gpu,
                            std::int32_t nodes) noexcept {
    const double unfitness =
        has_gpu ? gpu_unfitness : std::max(preferred / cores, cores / preferred);
    return (unfitness - 1) * (1 - std::tanh((nodes - 1) / 15.0)) + 1;
}

void Price::filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const {
    std::vector<Ranked<Cost>> ranked;
    std::vector<OptionView> unknown;
    for (const OptionView option : request.options()) {
        if (const auto cost = find_cost(option, request.cluster_nodes(), config_)) {
            ranked.push_back({option, *cost});
        } else {
            unknown.push_back(option);
        }
    }
    if (ranked.empty()) {
        return keep_all(call, keep, request.options(),
                        "no option has a price and a template with cpu");
    }
    if (!unknown.empty()) {
        call.explain("leaves out " + group_names(unknown) + ": no price, or no template with cpu");
    }
    keep_best(call, keep, ranked, Cheaper{});
}

}  // namespace capstan::expanders
