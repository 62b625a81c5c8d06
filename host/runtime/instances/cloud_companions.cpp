// The interfaces beside a cloud that decisions ask: prices and groups' own wishes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include <capstan/to_abi.hpp>

#include "io/printable.hpp"
#include "runtime/instances/cloud_client.hpp"
#include "runtime/instances/cloud_companion.hpp"

namespace capstan::runtime {

namespace {

bool is_share(double value) { return value >= 0 && value <= 1; }

/// What is wrong with a price, or nothing.
std::string price_breach(const capstan_price& price) {
    if (!std::isfinite(price.per_hour) || price.per_hour < 0) {
        return "answered a price of " + std::to_string(price.per_hour) + " an hour";
    }
    const bool has_rate = (price.present & CAPSTAN_PRICE_INTERRUPTION_RATE) != 0;
    if (has_rate && !is_share(price.interruption_rate)) {
        return "answered an interruption rate of " + std::to_string(price.interruption_rate);
    }
    const std::string currency(price.currency, ::strnlen(price.currency, sizeof price.currency));
    const bool is_code = currency.size() == 3 &&
                         std::ranges::all_of(currency, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!is_code)
        return "answered the currency \"" + io::printable(currency, sizeof price.currency) +
               "\", which is no code of three capital letters";
    return {};
}

Price raised_price(const capstan_price& price) {
    Price out{
        .per_hour = price.per_hour,
        .currency = std::string(price.currency, ::strnlen(price.currency, sizeof price.currency)),
        .spot = price.spot != 0};
    if ((price.present & CAPSTAN_PRICE_INTERRUPTION_RATE) != 0)
        out.interruption_rate = price.interruption_rate;
    return out;
}

/// Reads the members that are present, and remembers the first that makes no sense.
class OptionsReader {
public:
    explicit OptionsReader(const capstan_group_options& raw) : raw_(raw) {}

    void share(std::uint64_t bit, double value, std::optional<double>& out) {
        if (has(bit) && check(is_share(value), std::to_string(value) + " for a share of 1"))
            out = value;
    }
    void duration(std::uint64_t bit, std::int64_t ns, std::optional<Duration>& out) {
        if (has(bit) && check(ns >= 0, "a duration of " + std::to_string(ns) + " ns"))
            out = Duration(ns);
    }
    void flag(std::uint64_t bit, std::int32_t value, std::optional<bool>& out) {
        if (has(bit)) out = value != 0;
    }
    const std::string& breach() const { return breach_; }

private:
    bool has(std::uint64_t bit) const { return (raw_.present & bit) != 0; }
    bool check(bool makes_sense, const std::string& what) {
        if (!makes_sense && breach_.empty()) breach_ = "answered " + what;
        return makes_sense;
    }
    const capstan_group_options& raw_;
    std::string breach_;
};

std::string options_from_abi(const capstan_group_options& raw, GroupOptions& out) {
    OptionsReader in(raw);
    in.share(CAPSTAN_GROUP_OPTION_UTILIZATION, raw.utilization_threshold,
             out.utilization_threshold);
    in.share(CAPSTAN_GROUP_OPTION_GPU_UTILIZATION, raw.gpu_utilization_threshold,
             out.gpu_utilization_threshold);
    in.duration(CAPSTAN_GROUP_OPTION_UNNEEDED, raw.unneeded_ns, out.unneeded_time);
    in.duration(CAPSTAN_GROUP_OPTION_UNREADY, raw.unready_ns, out.unready_time);
    in.duration(CAPSTAN_GROUP_OPTION_PROVISION, raw.max_provision_ns, out.max_node_provision_time);
    in.duration(CAPSTAN_GROUP_OPTION_DRAIN, raw.drain_timeout_ns, out.drain_timeout);
    in.flag(CAPSTAN_GROUP_OPTION_ZERO_OR_MAX, raw.zero_or_max, out.zero_or_max);
    in.flag(CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS, raw.ignore_daemonsets,
            out.ignore_daemonsets_utilization);
    return in.breach();
}

}  // namespace

Result<Price> ask_price(const std::shared_ptr<PluginInstance>& cloud, const NodeTemplate& node,
                        const engine::Circumstances& circumstances, PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                find_companion<capstan_cloud_pricing>(cloud, CAPSTAN_INTERFACE_PRICING, watch));
    AbiArena arena;
    const capstan_template crossing = arena.to_abi(node);
    capstan_price price{};
    price.struct_size = sizeof price;
    CAPSTAN_CHECK(
        call_hook(*cloud, Hook::price, circumstances, watch, [&](const capstan_call* call) {
            return distrusted(table->price)(table->self, call, &crossing, &price);
        }));
    const std::string breach = price_breach(price);
    if (!breach.empty()) return contract_breach(*cloud, Hook::price, breach);
    return raised_price(price);
}

Result<GroupOptions> ask_options(const std::shared_ptr<PluginInstance>& cloud,
                                 const NodeGroup& group, const engine::Circumstances& circumstances,
                                 PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                find_companion<capstan_cloud_options>(cloud, CAPSTAN_INTERFACE_OPTIONS, watch));
    AbiArena arena;
    const capstan_group crossing = arena.to_abi(group);
    capstan_group_options raw{};
    raw.struct_size = sizeof raw;
    CAPSTAN_CHECK(
        call_hook(*cloud, Hook::options, circumstances, watch, [&](const capstan_call* call) {
            return distrusted(table->get)(table->self, call, &crossing, &raw);
        }));
    GroupOptions out;
    const std::string breach = options_from_abi(raw, out);
    if (!breach.empty()) return contract_breach(*cloud, Hook::options, breach);
    return out;
}

}  // namespace capstan::runtime
