// The interfaces beside a cloud that decisions ask: prices and groups' own wishes.
#include <capstan/from_abi.hpp>
#include <capstan/to_abi.hpp>

#include "io/printable.hpp"
#include "runtime/instances/cloud_client.hpp"
#include "runtime/instances/cloud_companion.hpp"

namespace capstan::runtime {

Result<Price> ask_price(const std::shared_ptr<PluginInstance>& cloud, const NodeGroup& group,
                        const NodeTemplate& node, const engine::Circumstances& circumstances,
                        PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                find_companion<capstan_cloud_pricing>(cloud, CAPSTAN_INTERFACE_PRICING, watch));
    AbiArena arena;
    const capstan_group raw_group = arena.to_abi(group);
    const capstan_template raw_node = arena.to_abi(node);
    capstan_price price{};
    price.struct_size = sizeof price;
    CAPSTAN_CHECK(
        call_hook(*cloud, Hook::price, circumstances, watch, [&](const capstan_call* call) {
            return distrusted(table->price)(table->self, call, &raw_group, &raw_node, &price);
        }));
    Result<Price> out = price_from_abi(price);
    if (!out)
        return contract_breach(*cloud, Hook::price,
                               "answered a price whose " + out.error().message);
    return out;
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
    Result<GroupOptions> out = group_options_from_abi(raw);
    if (!out)
        return contract_breach(*cloud, Hook::options,
                               "answered options of which " + out.error().message);
    return out;
}

}  // namespace capstan::runtime
