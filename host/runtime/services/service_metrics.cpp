#include <string>

#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status declare(const capstan_host* host, const capstan_metric* metric,
                       std::uint32_t* id) noexcept {
    if (metric == nullptr || id == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&] {
        HostContext& of = context(host);
        std::string why;
        const capstan_status status = of.plugin_metrics().declare(*metric, *id, &why);
        if (!why.empty()) of.say(LogLevel::warn, why);
        return status;
    });
}

capstan_status record_value(const capstan_host* host, std::uint32_t id, double value,
                            capstan_array labels) noexcept {
    return guarded([&] {
        HostContext& of = context(host);
        const capstan_status status = of.plugin_metrics().record(id, value, labels);
        if (status == CAPSTAN_E_BUSY) of.metrics().dropped_value();
        return status;
    });
}

}  // namespace

const capstan_metrics metrics{sizeof metrics, 0, &declare, &record_value};

}  // namespace capstan::runtime::services
