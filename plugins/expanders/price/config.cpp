#include "config.hpp"

#include <cmath>
#include <string_view>

namespace capstan::expanders {
namespace {

Setting rate(std::string_view key, std::string_view doc, std::string_view default_value) {
    return {.key = key,
            .type = SettingType::number,
            .doc = doc,
            .default_value = default_value,
            .min = 0,
            .max = 1e9};
}

}  // namespace

Schema price_schema() {
    return {
        rate("cpu_per_hour",
             "Value of one requested cpu core per hour, in the currency of the cloud's prices.",
             "0.033174"),
        rate("memory_gib_per_hour", "Value of one requested GiB of memory per hour.", "0.004446"),
        rate("gpu_per_hour", "Value of one requested GPU per hour.", "0.7"),
        {.key = "gpu_resources",
         .type = SettingType::string,
         .doc = "Resources that are GPUs. Groups with GPUs are avoided for pods that other groups "
                "can run.",
         .default_value = "[\"nvidia.com/gpu\", \"amd.com/gpu\"]",
         .list = true}};
}

PriceConfig read_price(const Settings& settings) {
    return {.cpu_per_hour = settings.number("cpu_per_hour"),
            .memory_gib_per_hour = settings.number("memory_gib_per_hour"),
            .gpu_per_hour = settings.number("gpu_per_hour"),
            .gpu_resources = settings.texts("gpu_resources")};
}

void check_price(const Settings& settings) {
    bool sane = true;
    for (const char* key : {"cpu_per_hour", "memory_gib_per_hour", "gpu_per_hour"}) {
        const double value = settings.number(key);
        if (std::isfinite(value) && value >= 0) continue;
        settings.reject(key, "must be a number of at least 0");
        sane = false;
    }
    if (sane && settings.number("cpu_per_hour") + settings.number("memory_gib_per_hour") <= 0) {
        settings.reject("cpu_per_hour", "cpu_per_hour and memory_gib_per_hour must not both be 0");
    }
}

}  // namespace capstan::expanders
