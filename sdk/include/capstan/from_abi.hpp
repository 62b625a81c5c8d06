/// Converts ABI structs to C++ values without trusting the other side: every pointer, count,
/// stride, size, enumerator and text is checked before it is used, and text is copied. An error is
/// a bug of the other side (ErrorCode::internal) and names the place: "groups[3].id is empty".
/// Only invalid addresses cannot be detected. Struct members are read as far as ABI 1.0 reaches; a
/// shorter struct is an error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/detail/from_abi_lists.hpp>
#include <capstan/node_template.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// A count of machines; a negative one is an error.
inline Result<std::optional<int>> count_from_abi(std::string_view name, bool present,
                                                 std::int32_t count) {
    if (!present) return std::optional<int>();
    if (count < 0) return misfit(std::string(name) + " is " + std::to_string(count));
    return std::optional<int>(count);
}

inline Result<void> numbers_from_abi(const capstan_group& raw, NodeGroup& out) {
    CAPSTAN_TRY(out.min, count_from_abi("min", (raw.present & CAPSTAN_GROUP_MIN) != 0, raw.min));
    CAPSTAN_TRY(out.max, count_from_abi("max", (raw.present & CAPSTAN_GROUP_MAX) != 0, raw.max));
    CAPSTAN_TRY(out.target,
                count_from_abi("target", (raw.present & CAPSTAN_GROUP_TARGET) != 0, raw.target));
    if (out.min && out.max && *out.min > *out.max) {
        return misfit("min is " + std::to_string(*out.min) + ", above max " +
                      std::to_string(*out.max));
    }
    if ((raw.present & CAPSTAN_GROUP_HEALTH) != 0) out.healthy = raw.healthy != 0;
    out.autoprovisioned =
        (raw.present & CAPSTAN_GROUP_AUTOPROVISIONED) != 0 && raw.autoprovisioned != 0;
    return {};
}

/// The value that a member points to; an error names the member.
template <class T>
Result<T> member_from_abi(std::string_view name, Result<T> value) {
    if (!value) return misfit_in(std::string(name), std::move(value).error());
    return value;
}

/// Checks that no two elements have the same id; `id_of` returns it.
template <class T, class F>
Result<void> check_unique(std::string_view name, const std::vector<T>& values, F id_of) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& id = id_of(values[i]);
        if (seen.insert(id).second) continue;
        return misfit(element(name, static_cast<std::uint32_t>(i)) + ".id " + in_quotes(id) +
                      " is listed twice");
    }
    return {};
}

/// A number from 0 to 1, or an error.
inline Result<double> share_of_one_from_abi(std::string_view name, double value) {
    if (value >= 0 && value <= 1) return value;
    return misfit(std::string(name) + " is " + std::to_string(value) + ", not from 0 to 1");
}

/// A price per hour: a number of at least 0.
inline Result<double> hourly_price_from_abi(std::string_view name, double value) {
    if (std::isfinite(value) && value >= 0) return value;
    return misfit(std::string(name) + " is " + std::to_string(value));
}

inline bool is_currency(std::string_view text) noexcept {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_upper(c); });
}

inline Result<std::string> currency_from_abi(const char (&raw)[8]) {
    std::string code(raw, ::strnlen(raw, sizeof raw));
    if (is_currency(code)) return code;
    return misfit("currency is " + in_quotes(clean_utf8(code, sizeof raw)) +
                  ", not three capital letters");
}

}  // namespace detail

inline Result<Price> price_from_abi(const capstan_price& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    Price out;
    CAPSTAN_TRY(out.currency, detail::currency_from_abi(raw.currency));
    if ((raw.present & CAPSTAN_PRICE_PER_HOUR) != 0) {
        CAPSTAN_TRY(out.per_hour, detail::hourly_price_from_abi("per_hour", raw.per_hour));
    }
    if ((raw.present & CAPSTAN_PRICE_INTERRUPTION_RATE) != 0) {
        CAPSTAN_TRY(out.interruption_rate,
                    detail::share_of_one_from_abi("interruption_rate", raw.interruption_rate));
    }
    return out;
}

inline Result<GroupOptions> group_options_from_abi(const capstan_group_options& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    GroupOptions out;
    const auto has = [&raw](std::uint64_t bit) { return (raw.present & bit) != 0; };
    const auto share = [&](std::string_view name, std::uint64_t bit, double value,
                           std::optional<double>& to) -> Result<void> {
        if (!has(bit)) return {};
        CAPSTAN_TRY(to, detail::share_of_one_from_abi(name, value));
        return {};
    };
    const auto duration = [&](std::string_view name, std::uint64_t bit, std::int64_t ns,
                              std::optional<Duration>& to) -> Result<void> {
        if (!has(bit)) return {};
        if (ns < 0) return detail::misfit(std::string(name) + " is " + std::to_string(ns));
        to = Duration(ns);
        return {};
    };
    CAPSTAN_CHECK(share("utilization_threshold", CAPSTAN_GROUP_OPTION_UTILIZATION,
                        raw.utilization_threshold, out.utilization_threshold));
    CAPSTAN_CHECK(share("gpu_utilization_threshold", CAPSTAN_GROUP_OPTION_GPU_UTILIZATION,
                        raw.gpu_utilization_threshold, out.gpu_utilization_threshold));
    CAPSTAN_CHECK(
        duration("unneeded_ns", CAPSTAN_GROUP_OPTION_UNNEEDED, raw.unneeded_ns, out.unneeded_time));
    CAPSTAN_CHECK(
        duration("unready_ns", CAPSTAN_GROUP_OPTION_UNREADY, raw.unready_ns, out.unready_time));
    CAPSTAN_CHECK(duration("max_provision_ns", CAPSTAN_GROUP_OPTION_PROVISION, raw.max_provision_ns,
                           out.max_node_provision_time));
    CAPSTAN_CHECK(duration("drain_timeout_ns", CAPSTAN_GROUP_OPTION_DRAIN, raw.drain_timeout_ns,
                           out.drain_timeout));
    CAPSTAN_CHECK(duration("device_settling_ns", CAPSTAN_GROUP_OPTION_DEVICE_SETTLING,
                           raw.device_settling_ns, out.device_settling_time));
    CAPSTAN_CHECK(
        duration("settling_ns", CAPSTAN_GROUP_OPTION_SETTLING, raw.settling_ns, out.settling_time));
    if (has(CAPSTAN_GROUP_OPTION_ZERO_OR_MAX)) out.zero_or_max = raw.zero_or_max != 0;
    if (has(CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS))
        out.ignore_daemonsets_utilization = raw.ignore_daemonsets != 0;
    return out;
}

inline Result<NodeGroup> group_from_abi(const capstan_group& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    NodeGroup out;
    CAPSTAN_TRY(std::string id, detail::text_from_abi("id", raw.id, detail::Text::required));
    out.id = NodeGroupId(std::move(id));
    CAPSTAN_CHECK(detail::numbers_from_abi(raw, out));
    CAPSTAN_TRY(out.health_reason, detail::text_from_abi("health_reason", raw.health_reason));
    CAPSTAN_TRY(out.debug, detail::text_from_abi("debug", raw.debug));
    CAPSTAN_TRY(out.template_fingerprint,
                detail::text_from_abi("template_fingerprint", raw.template_fingerprint));
    CAPSTAN_TRY(out.tags, detail::labels_from_abi("tags", raw.tags));
    if ((raw.present & CAPSTAN_GROUP_SPOT) != 0) out.spot = raw.spot != 0;
    CAPSTAN_TRY(out.zones, detail::names_from_abi<std::string>("zones", raw.zones));
    if (raw.price != nullptr) {
        CAPSTAN_TRY(out.price, detail::member_from_abi("price", price_from_abi(*raw.price)));
    }
    if (raw.options != nullptr) {
        CAPSTAN_TRY(out.options,
                    detail::member_from_abi("options", group_options_from_abi(*raw.options)));
    }
    return out;
}

inline Result<NodeTemplate> template_from_abi(const capstan_template& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    NodeTemplate out;
    CAPSTAN_TRY(out.name, detail::text_from_abi("name", raw.name, detail::Text::required));
    CAPSTAN_TRY(out.machine_type, detail::text_from_abi("machine_type", raw.machine_type));
    CAPSTAN_TRY(out.zone, detail::text_from_abi("zone", raw.zone));
    CAPSTAN_TRY(out.arch, detail::text_from_abi("arch", raw.arch));
    CAPSTAN_TRY(out.os, detail::text_from_abi("os", raw.os));
    CAPSTAN_TRY(out.labels, detail::labels_from_abi("labels", raw.labels));
    CAPSTAN_TRY(out.annotations, detail::labels_from_abi("annotations", raw.annotations));
    CAPSTAN_TRY(out.taints,
                detail::list_from_abi<capstan_taint>("taints", raw.taints, detail::taint_from_abi));
    CAPSTAN_TRY(out.capacity, detail::resources_from_abi("capacity", raw.capacity));
    CAPSTAN_TRY(out.allocatable, detail::resources_from_abi("allocatable", raw.allocatable));
    // DaemonSets may request more than the machine has; that is not a bug of the plugin.
    CAPSTAN_TRY(out.free, detail::resources_from_abi("free", raw.free, detail::Sign::any));
    CAPSTAN_TRY(out.fingerprint, detail::text_from_abi("fingerprint", raw.fingerprint));
    out.variants = std::max(raw.variants, 1);
    return out;
}

namespace detail {

inline MachineState machine_state_from_abi(std::int32_t state) noexcept {
    const bool is_known = state >= CAPSTAN_MACHINE_REQUESTED && state <= CAPSTAN_MACHINE_FAILED;
    return is_known ? static_cast<MachineState>(state) : MachineState::creating;
}

inline Leaving leaving_from_abi(const capstan_machine& raw) noexcept {
    const bool is_known =
        raw.leaves_because > CAPSTAN_LEAVES_OTHER && raw.leaves_because <= CAPSTAN_LEAVES_UNHEALTHY;
    Leaving out;
    if (is_known) out.reason = static_cast<LeaveReason>(raw.leaves_because);
    if (raw.leaves_unix_ns != 0) out.at = time_from_unix_ns(raw.leaves_unix_ns);
    return out;
}

}  // namespace detail

inline Result<Machine> machine_from_abi(const capstan_machine& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    Machine out;
    CAPSTAN_TRY(std::string id, detail::text_from_abi("id", raw.id, detail::Text::required));
    CAPSTAN_TRY(std::string group, detail::text_from_abi("group_id", raw.group_id));
    out.id = MachineId(std::move(id));
    out.group = NodeGroupId(std::move(group));
    out.state = detail::machine_state_from_abi(raw.state);
    CAPSTAN_TRY(out.machine_type, detail::text_from_abi("machine_type", raw.machine_type));
    CAPSTAN_TRY(out.zone, detail::text_from_abi("zone", raw.zone));
    if ((raw.present & CAPSTAN_MACHINE_LAUNCHED) != 0)
        out.launched = time_from_unix_ns(raw.launched_unix_ns);
    CAPSTAN_TRY(out.template_fingerprint,
                detail::text_from_abi("template_fingerprint", raw.template_fingerprint));
    CAPSTAN_TRY(out.node_name, detail::text_from_abi("node_name", raw.node_name));
    if ((raw.present & CAPSTAN_MACHINE_LEAVES) != 0) out.leaves = detail::leaving_from_abi(raw);
    if ((raw.present & CAPSTAN_MACHINE_SPOT) != 0) out.spot = raw.spot != 0;
    if ((raw.present & CAPSTAN_MACHINE_PRICE) != 0) {
        CAPSTAN_TRY(out.price_per_hour,
                    detail::hourly_price_from_abi("price_per_hour", raw.price_per_hour));
    }
    if (raw.error != nullptr) {
        CAPSTAN_TRY(out.error,
                    detail::member_from_abi("error", detail::error_from_abi(*raw.error)));
    }
    CAPSTAN_TRY(out.addresses, detail::names_from_abi<std::string>("addresses", raw.addresses));
    return out;
}

/// Ids of groups are unique, and so are ids of machines.
inline Result<CloudView> cloud_view_from_abi(const capstan_cloud_view& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CloudView out;
    out.complete = raw.complete != 0;
    CAPSTAN_TRY(out.groups,
                detail::list_from_abi<capstan_group>("groups", raw.groups, group_from_abi));
    CAPSTAN_CHECK(detail::check_unique("groups", out.groups,
                                       [](const auto& g) -> auto& { return g.id.value(); }));
    CAPSTAN_TRY(out.machines,
                detail::list_from_abi<capstan_machine>("machines", raw.machines, machine_from_abi));
    CAPSTAN_CHECK(detail::check_unique("machines", out.machines,
                                       [](const auto& m) -> auto& { return m.id.value(); }));
    CAPSTAN_TRY(out.unreadable, detail::list_from_abi<capstan_error>("unreadable", raw.unreadable,
                                                                     detail::error_from_abi));
    CAPSTAN_TRY(out.lists_all_with_prefix,
                detail::text_from_abi("lists_all_with_prefix", raw.lists_all_with_prefix));
    if (raw.target_lag_ms > 0) {
        out.target_lag =
            std::chrono::milliseconds(std::min(raw.target_lag_ms, detail::longest_advice_ms));
    }
    return out;
}

inline Result<Resize> resize_from_abi(const capstan_resize& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.delta <= 0)
        return detail::misfit("delta is " + std::to_string(raw.delta) +
                              ", expected a positive number");
    CAPSTAN_TRY(std::string group,
                detail::text_from_abi("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::string key, detail::text_from_abi("idempotency_key", raw.idempotency_key));
    return Resize{NodeGroupId(std::move(group)), raw.delta,      raw.expected_target,
                  raw.all_or_nothing != 0,       std::move(key), raw.listed_target};
}

inline Result<Resized> resized_from_abi(const capstan_resized& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.target < 0) return detail::misfit("target is " + std::to_string(raw.target));
    Resized out{.target = raw.target};
    if (raw.shortfall != nullptr) {
        CAPSTAN_TRY(out.shortfall,
                    detail::member_from_abi("shortfall", detail::error_from_abi(*raw.shortfall)));
    }
    return out;
}

inline Result<Removal> removal_from_abi(const capstan_removal& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::string group,
                detail::text_from_abi("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::vector<MachineId> machines,
                detail::names_from_abi<MachineId>("machine_ids", raw.machine_ids));
    CAPSTAN_TRY(std::string key, detail::text_from_abi("idempotency_key", raw.idempotency_key));
    return Removal{NodeGroupId(std::move(group)), std::move(machines), raw.force != 0,
                   std::move(key), raw.keep_target != 0};
}

inline Result<Removed> removed_from_abi(const capstan_removed& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::vector<Error> failed,
                detail::list_from_abi<capstan_error>("failed", raw.failed, detail::error_from_abi));
    return Removed{std::move(failed)};
}

CAPSTAN_NAMESPACE_END
