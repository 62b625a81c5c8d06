#include "runtime/instances/unchanged_view.hpp"

#include <optional>
#include <string>
#include <utility>

#include <capstan/from_abi.hpp>

namespace capstan::runtime {
namespace {

// What is equal to a text that was taken is well-formed, too.
bool is_same(capstan_str raw, const std::string& known) {
    return (raw.ptr != nullptr || raw.len == 0) && text(raw) == known;
}
template <class Tag>
bool is_same(capstan_str raw, const Id<Tag>& known) {
    return is_same(raw, known.value());
}

bool is_same(const capstan_kv& raw, const std::pair<const std::string, std::string>& known) {
    return is_same(raw.key, known.first) && is_same(raw.value, known.second);
}

bool is_same(const capstan_group& raw, const NodeGroup& known);
bool is_same(const capstan_machine& raw, const Machine& known);

/// An element whose own size and whose list's stride agree.
template <class T>
bool is_whole(const T& raw, std::uint32_t stride) {
    if constexpr (capstan::detail::Growing<T>)
        return raw.struct_size <= stride && capstan::detail::check_size(raw).has_value();
    return true;
}

template <class Raw, class Known>
bool is_same_list(capstan_array array, const Known& known) {
    if (array.count != known.size() || !capstan::detail::check_array<Raw>("", array)) return false;
    auto at = known.begin();
    for (const Raw& raw : View<Raw>(array)) {
        if (!is_whole(raw, array.stride) || !is_same(raw, *at)) return false;
        ++at;
    }
    return true;
}

/// Of a struct that is pointed to, NULL where it is absent. It has no text to be copied.
template <class Raw, class Known, class F>
bool is_same_pointed(const Raw* raw, const std::optional<Known>& known, F from_abi) {
    if (raw == nullptr || !known) return raw == nullptr && !known;
    const Result<Known> value = from_abi(*raw);
    return value && *value == *known;
}

bool are_same_numbers(const capstan_group& raw, const NodeGroup& known) {
    const auto find = [&raw](std::uint64_t bit, auto value) {
        return (raw.present & bit) != 0 ? std::optional(value) : std::nullopt;
    };
    return find(CAPSTAN_GROUP_MIN, raw.min) == known.min &&
           find(CAPSTAN_GROUP_MAX, raw.max) == known.max &&
           find(CAPSTAN_GROUP_TARGET, raw.target) == known.target &&
           find(CAPSTAN_GROUP_HEALTH, raw.healthy != 0) == known.healthy &&
           find(CAPSTAN_GROUP_SPOT, raw.spot != 0) == known.spot &&
           find(CAPSTAN_GROUP_AUTOPROVISIONED, raw.autoprovisioned != 0).value_or(false) ==
               known.autoprovisioned;
}

bool is_same(const capstan_group& raw, const NodeGroup& known) {
    return are_same_numbers(raw, known) && is_same(raw.id, known.id) &&
           is_same(raw.health_reason, known.health_reason) && is_same(raw.debug, known.debug) &&
           is_same(raw.template_fingerprint, known.template_fingerprint) &&
           is_same_list<capstan_kv>(raw.tags, known.tags) &&
           is_same_list<capstan_str>(raw.zones, known.zones) &&
           is_same_pointed(raw.price, known.price, price_from_abi) &&
           is_same_pointed(raw.options, known.options, group_options_from_abi);
}

bool are_same_numbers(const capstan_machine& raw, const Machine& known) {
    const auto find = [&raw](std::uint64_t bit, auto value) {
        return (raw.present & bit) != 0 ? std::optional(value) : std::nullopt;
    };
    return capstan::detail::machine_state_from_abi(raw.state) == known.state &&
           find(CAPSTAN_MACHINE_LAUNCHED, time_from_unix_ns(raw.launched_unix_ns)) ==
               known.launched &&
           find(CAPSTAN_MACHINE_LEAVES, capstan::detail::leaving_from_abi(raw)) == known.leaves &&
           find(CAPSTAN_MACHINE_SPOT, raw.spot != 0) == known.spot &&
           find(CAPSTAN_MACHINE_PRICE, raw.price_per_hour) == known.price_per_hour;
}

bool is_same(const capstan_machine& raw, const Machine& known) {
    return raw.error == nullptr && !known.error && are_same_numbers(raw, known) &&
           is_same(raw.id, known.id) && is_same(raw.group_id, known.group) &&
           is_same(raw.machine_type, known.machine_type) && is_same(raw.zone, known.zone) &&
           is_same(raw.template_fingerprint, known.template_fingerprint) &&
           is_same(raw.node_name, known.node_name);
}

}  // namespace

bool is_unchanged(const capstan_cloud_view& raw, const CloudView& known) {
    return capstan::detail::check_size(raw) && raw.unreadable.count == 0 &&
           known.unreadable.empty() && (raw.complete != 0) == known.complete &&
           is_same(raw.lists_all_with_prefix, known.lists_all_with_prefix) &&
           is_same_list<capstan_group>(raw.groups, known.groups) &&
           is_same_list<capstan_machine>(raw.machines, known.machines);
}

}  // namespace capstan::runtime
