#include "config.hpp"

#include <algorithm>
#include <cmath>

namespace capstan::expanders {
namespace {

bool is_slot(std::string_view resource) {
    return resource == "pods" || resource.substr(0, 19) == "attachable-volumes-";
}

bool is_weight(double weight) { return std::isfinite(weight) && weight >= 0; }

}  // namespace

double LeastWasteConfig::weight_of(std::string_view resource) const {
    const auto named = weights.find(resource);
    if (named != weights.end()) return named->second;
    return is_slot(resource) ? 0 : other_weight;
}

Schema least_waste_schema() {
    return {{.key = "weights",
             .type = SettingType::number,
             .doc = "Weight of each resource's wasted share, such as { cpu = 1, memory = 0.5 }.",
             .default_value = "{}",
             .map = true,
             .min = 0,
             .max = 1e6},
            {.key = "other_weight",
             .type = SettingType::number,
             .doc = "Weight of resources not listed in weights. 0: only listed resources count.",
             .default_value = "1",
             .min = 0,
             .max = 1e6},
            {.key = "tolerance",
             .type = SettingType::number,
             .doc = "Options within this distance of the least waste are equal: 0.05 is 5% of one "
                    "resource of weight 1. 0: options of equal waste are compared by price, then "
                    "by unused resources.",
             .default_value = "0",
             .min = 0,
             .max = 1e6},
            {.key = "of",
             .type = SettingType::enumeration,
             .doc = "What the wasted share is measured against: the node's allocatable, its "
                    "capacity, or what DaemonSets leave free.",
             .default_value = "\"allocatable\"",
             .allowed = {"allocatable", "capacity", "free"}}};
}

LeastWasteConfig read_least_waste(const Settings& settings) {
    LeastWasteConfig out;
    for (const auto& [resource, weight] : settings.number_map("weights"))
        out.weights[resource] = weight;
    out.other_weight = settings.number("other_weight");
    out.tolerance = settings.number("tolerance");
    const std::string of = settings.text("of");
    out.of = of == "capacity" ? LeastWasteConfig::Of::capacity
             : of == "free"   ? LeastWasteConfig::Of::free
                              : LeastWasteConfig::Of::allocatable;
    return out;
}

void check_least_waste(const Settings& settings) {
    const auto weights = settings.number_map("weights");
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!is_weight(weights[i].second))
            settings.reject("weights", i, "must be a number of at least 0");
    }
    for (const char* key : {"other_weight", "tolerance"}) {
        if (!is_weight(settings.number(key)))
            settings.reject(key, "must be a number of at least 0");
    }
    const bool any =
        settings.number("other_weight") > 0 ||
        std::any_of(weights.begin(), weights.end(), [](const auto& w) { return w.second > 0; });
    if (!any)
        settings.reject("other_weight",
                        "no resource has a weight above 0, so all options would be equal");
}

}  // namespace capstan::expanders
