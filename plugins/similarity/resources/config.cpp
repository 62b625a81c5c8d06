#include "config.hpp"

#include <cmath>
#include <string_view>

namespace capstan::similarity {
namespace {

Setting tolerance(std::string_view key, std::string_view doc, std::string_view default_value) {
    return {.key = key,
            .type = SettingType::number,
            .doc = doc,
            .default_value = default_value,
            .min = 0,
            .max = 1};
}

}  // namespace

Tolerance Tolerance::of(double share) {
    Tolerance out;
    out.billionths_ = std::llround(share * 1e9);
    return out;
}

Schema resources_schema() {
    return {tolerance("capacity_memory_tolerance",
                      "Maximum difference of memory capacity, as a share of the larger. 0: must be "
                      "equal. All other capacities must be equal.",
                      "0.015"),
            tolerance("allocatable_tolerance",
                      "Maximum difference of each allocatable amount, as a share of the larger. 0: "
                      "must be equal.",
                      "0.05"),
            tolerance("free_tolerance",
                      "Maximum difference of each amount that DaemonSets leave free, as a share of "
                      "the larger. 0: must be equal.",
                      "0.05")};
}

ResourcesConfig read_resources(const Settings& settings) {
    return {.capacity_memory = Tolerance::of(settings.number("capacity_memory_tolerance")),
            .allocatable = Tolerance::of(settings.number("allocatable_tolerance")),
            .free = Tolerance::of(settings.number("free_tolerance"))};
}

void check_resources(const Settings& settings) {
    for (const char* key :
         {"capacity_memory_tolerance", "allocatable_tolerance", "free_tolerance"}) {
        const double share = settings.number(key);
        // Also rejects NaN.
        if (!(share >= 0 && share <= 1)) settings.reject(key, "must be a share from 0 to 1");
    }
}

}  // namespace capstan::similarity
