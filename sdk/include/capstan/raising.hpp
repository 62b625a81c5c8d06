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
#include <capstan/detail/raise_lists.hpp>
#include <capstan/node_template.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// A count of machines; a negative one is an error.
inline Result<std::optional<int>> raise_count(std::string_view name, bool present,
                                              std::int32_t count) {
    if (!present) return std::optional<int>();
    if (count < 0) return misfit(std::string(name) + " is " + std::to_string(count));
    return std::optional<int>(count);
}

inline Result<void> raise_numbers(const capstan_group& raw, NodeGroup& out) {
    CAPSTAN_TRY(out.min, raise_count("min", (raw.present & CAPSTAN_GROUP_MIN) != 0, raw.min));
    CAPSTAN_TRY(out.max, raise_count("max", (raw.present & CAPSTAN_GROUP_MAX) != 0, raw.max));
    CAPSTAN_TRY(out.target,
                raise_count("target", (raw.present & CAPSTAN_GROUP_TARGET) != 0, raw.target));
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

inline Result<NodeGroup> raise_group(const capstan_group& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    NodeGroup out;
    CAPSTAN_TRY(std::string id, detail::raise_text("id", raw.id, detail::Text::required));
    out.id = NodeGroupId(std::move(id));
    CAPSTAN_CHECK(detail::raise_numbers(raw, out));
    CAPSTAN_TRY(out.health_reason, detail::raise_text("health_reason", raw.health_reason));
    CAPSTAN_TRY(out.debug, detail::raise_text("debug", raw.debug));
    CAPSTAN_TRY(out.template_fingerprint,
                detail::raise_text("template_fingerprint", raw.template_fingerprint));
    CAPSTAN_TRY(out.tags, detail::raise_labels("tags", raw.tags));
    return out;
}

inline Result<NodeTemplate> raise_template(const capstan_template& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    NodeTemplate out;
    CAPSTAN_TRY(out.name, detail::raise_text("name", raw.name, detail::Text::required));
    CAPSTAN_TRY(out.machine_type, detail::raise_text("machine_type", raw.machine_type));
    CAPSTAN_TRY(out.zone, detail::raise_text("zone", raw.zone));
    CAPSTAN_TRY(out.arch, detail::raise_text("arch", raw.arch));
    CAPSTAN_TRY(out.os, detail::raise_text("os", raw.os));
    CAPSTAN_TRY(out.labels, detail::raise_labels("labels", raw.labels));
    CAPSTAN_TRY(out.annotations, detail::raise_labels("annotations", raw.annotations));
    CAPSTAN_TRY(out.taints,
                detail::raise_list<capstan_taint>("taints", raw.taints, detail::raise_taint));
    CAPSTAN_TRY(out.capacity, detail::raise_resources("capacity", raw.capacity));
    CAPSTAN_TRY(out.allocatable, detail::raise_resources("allocatable", raw.allocatable));
    // DaemonSets may ask for more than the machine has: that is no bug of the plugin's.
    CAPSTAN_TRY(out.free, detail::raise_resources("free", raw.free, detail::Sign::any));
    CAPSTAN_TRY(out.fingerprint, detail::raise_text("fingerprint", raw.fingerprint));
    out.variants = std::max(raw.variants, 1);
    return out;
}

inline Result<Machine> raise_machine(const capstan_cloud_instance& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.state < CAPSTAN_MACHINE_REQUESTED || raw.state > CAPSTAN_MACHINE_FAILED) {
        return detail::misfit("state is " + std::to_string(raw.state) + ", which is none");
    }
    Machine out;
    CAPSTAN_TRY(std::string id, detail::raise_text("id", raw.id, detail::Text::required));
    CAPSTAN_TRY(std::string group,
                detail::raise_text("group_id", raw.group_id, detail::Text::required));
    out.id = MachineId(std::move(id));
    out.group = NodeGroupId(std::move(group));
    out.state = static_cast<MachineState>(raw.state);
    CAPSTAN_TRY(out.machine_type, detail::raise_text("machine_type", raw.machine_type));
    CAPSTAN_TRY(out.zone, detail::raise_text("zone", raw.zone));
    if ((raw.present & CAPSTAN_MACHINE_LAUNCHED) != 0)
        out.launched = time_from_unix_ns(raw.launched_unix_ns);
    if (raw.error == nullptr) return out;
    Result<Error> error = detail::raise_error(*raw.error);
    if (!error) return detail::misfit_in("error", std::move(error).error());
    out.error = std::move(*error);
    return out;
}

/// Ids of groups are unique, and so are ids of machines.
inline Result<CloudView> raise_cloud_view(const capstan_cloud_view& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CloudView out;
    out.complete = raw.complete != 0;
    CAPSTAN_TRY(out.groups, detail::raise_list<capstan_group>("groups", raw.groups, raise_group));
    CAPSTAN_CHECK(detail::check_unique("groups", out.groups,
                                       [](const auto& g) -> auto& { return g.id.value(); }));
    CAPSTAN_TRY(out.machines, detail::raise_list<capstan_cloud_instance>("instances", raw.instances,
                                                                         raise_machine));
    CAPSTAN_CHECK(detail::check_unique("instances", out.machines,
                                       [](const auto& m) -> auto& { return m.id.value(); }));
    CAPSTAN_TRY(out.unreadable, detail::raise_list<capstan_error>("unreadable", raw.unreadable,
                                                                  detail::raise_error));
    return out;
}

inline Result<Resize> raise_resize(const capstan_resize& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.delta <= 0)
        return detail::misfit("delta is " + std::to_string(raw.delta) + ", it must be positive");
    CAPSTAN_TRY(std::string group,
                detail::raise_text("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::string key, detail::raise_text("idempotency_key", raw.idempotency_key));
    return Resize{NodeGroupId(std::move(group)), raw.delta, raw.expected_target,
                  raw.all_or_nothing != 0, std::move(key)};
}

inline Result<Resized> raise_resized(const capstan_resized& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.target < 0) return detail::misfit("target is " + std::to_string(raw.target));
    return Resized{raw.target};
}

inline Result<Removal> raise_removal(const capstan_removal& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::string group,
                detail::raise_text("group_id", raw.group_id, detail::Text::required));
    CAPSTAN_TRY(std::vector<MachineId> machines,
                detail::raise_names<MachineId>("instance_ids", raw.instance_ids));
    CAPSTAN_TRY(std::string key, detail::raise_text("idempotency_key", raw.idempotency_key));
    return Removal{NodeGroupId(std::move(group)), std::move(machines), raw.force != 0,
                   std::move(key)};
}

inline Result<Removed> raise_removed(const capstan_removed& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    CAPSTAN_TRY(std::vector<Error> failed,
                detail::raise_list<capstan_error>("failed", raw.failed, detail::raise_error));
    return Removed{std::move(failed)};
}

CAPSTAN_NAMESPACE_END
