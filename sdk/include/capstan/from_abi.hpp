/// From what crossed the boundary to values of our own, for a side that does not trust the other:
/// every pointer, count, stride, size, enumerator and text is checked before it is used, and text
/// is copied. The error is the other side's bug (ErrorCode::internal) and names the place:
/// "groups[3].id is empty". Only memory that is not there at all cannot be told. Struct members are
/// read as far as ABI 1.0 reaches; a shorter struct is an error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// That no two elements have one id; `id_of` gives it.
template <class T, class F>
Result<void> check_unique(std::string_view name, const std::vector<T>& values, F id_of) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& id = id_of(values[i]);
        if (seen.insert(id).second) continue;
        return misfit(element(name, static_cast<std::uint32_t>(i)) + ".id " + in_quotes(id) +
                      " is there twice");
    }
    return {};
}

}  // namespace detail

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
    // DaemonSets may ask for more than the machine has: that is no bug of the plugin's.
    CAPSTAN_TRY(out.free, detail::resources_from_abi("free", raw.free, detail::Sign::any));
    CAPSTAN_TRY(out.fingerprint, detail::text_from_abi("fingerprint", raw.fingerprint));
    out.variants = std::max(raw.variants, 1);
    return out;
}

inline Result<Machine> machine_from_abi(const capstan_machine& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.state < CAPSTAN_MACHINE_REQUESTED || raw.state > CAPSTAN_MACHINE_FAILED) {
        return detail::misfit("state is " + std::to_string(raw.state) + ", which is none");
    }
    Machine out;
    CAPSTAN_TRY(std::string id, detail::text_from_abi("id", raw.id, detail::Text::required));
    CAPSTAN_TRY(std::string group,
                detail::text_from_abi("group_id", raw.group_id, detail::Text::required));
    out.id = MachineId(std::move(id));
    out.group = NodeGroupId(std::move(group));
    out.state = static_cast<MachineState>(raw.state);
    CAPSTAN_TRY(out.machine_type, detail::text_from_abi("machine_type", raw.machine_type));
    CAPSTAN_TRY(out.zone, detail::text_from_abi("zone", raw.zone));
    if ((raw.present & CAPSTAN_MACHINE_LAUNCHED) != 0)
        out.launched = time_from_unix_ns(raw.launched_unix_ns);
    if (raw.error == nullptr) return out;
    Result<Error> error = detail::error_from_abi(*raw.error);
    if (!error) return detail::misfit_in("error", std::move(error).error());
    out.error = std::move(*error);
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
    return out;
}

inline Result<Resize> resize_from_abi(const capstan_resize& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.delta <= 0)
        return detail::misfit("delta is " + std::to_string(raw.delta) + ", it must be positive");
    CAPSTAN_TRY(std::string group,
                detail::text_from_abi("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::string key, detail::text_from_abi("idempotency_key", raw.idempotency_key));
    return Resize{NodeGroupId(std::move(group)), raw.delta, raw.expected_target,
                  raw.all_or_nothing != 0, std::move(key)};
}

inline Result<Resized> resized_from_abi(const capstan_resized& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.target < 0) return detail::misfit("target is " + std::to_string(raw.target));
    return Resized{raw.target};
}

inline Result<Removal> removal_from_abi(const capstan_removal& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::string group,
                detail::text_from_abi("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::vector<MachineId> machines,
                detail::names_from_abi<MachineId>("machine_ids", raw.machine_ids));
    CAPSTAN_TRY(std::string key, detail::text_from_abi("idempotency_key", raw.idempotency_key));
    return Removal{NodeGroupId(std::move(group)), std::move(machines), raw.force != 0,
                   std::move(key)};
}

inline Result<Removed> removed_from_abi(const capstan_removed& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::vector<Error> failed,
                detail::list_from_abi<capstan_error>("failed", raw.failed, detail::error_from_abi));
    return Removed{std::move(failed)};
}

CAPSTAN_NAMESPACE_END
