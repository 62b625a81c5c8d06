/// from_abi.hpp for node auto-provisioning: machine types and plans of groups, with the same checks
/// and errors.
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/abi/group_source.h>
#include <capstan/ascii.hpp>
#include <capstan/from_abi.hpp>
#include <capstan/machine_type.hpp>

CAPSTAN_NAMESPACE_BEGIN

inline Result<MachineOffering> machine_offering_from_abi(const capstan_machine_offering& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineOffering out;
    out.spot = raw.spot != 0;
    CAPSTAN_TRY(out.zone, detail::text_from_abi("zone", raw.zone));
    CAPSTAN_TRY(out.labels, detail::labels_from_abi("labels", raw.labels));
    if ((raw.present & CAPSTAN_MACHINE_OFFERING_PRICE) == 0) return out;
    if (!std::isfinite(raw.price_per_hour)) return detail::misfit("price_per_hour is not a number");
    out.price_per_hour = raw.price_per_hour;
    CAPSTAN_TRY(out.currency, detail::currency_from_abi(raw.currency));
    return out;
}

inline Result<MachineType> machine_type_from_abi(const capstan_machine_type& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineType out;
    CAPSTAN_TRY(out.name, detail::text_from_abi("name", raw.name, detail::Text::required));
    CAPSTAN_TRY(out.labels, detail::labels_from_abi("labels", raw.labels));
    CAPSTAN_TRY(out.taints,
                detail::list_from_abi<capstan_taint>("taints", raw.taints, detail::taint_from_abi));
    CAPSTAN_TRY(out.capacity, detail::resources_from_abi("capacity", raw.capacity));
    CAPSTAN_TRY(out.allocatable, detail::resources_from_abi("allocatable", raw.allocatable));
    CAPSTAN_TRY(out.offerings, detail::list_from_abi<capstan_machine_offering>(
                                   "offerings", raw.offerings, machine_offering_from_abi));
    std::set<std::pair<std::string_view, bool>> seen;
    for (const MachineOffering& offer : out.offerings) {
        if (!seen.emplace(offer.zone, offer.spot).second)
            return detail::misfit("offerings have zone " + in_quotes(offer.zone) + " twice");
    }
    return out;
}

/// Names of types are unique.
inline Result<MachineTypes> machine_types_from_abi(const capstan_machine_types& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineTypes out;
    CAPSTAN_TRY(out.types, detail::list_from_abi<capstan_machine_type>("types", raw.types,
                                                                       machine_type_from_abi));
    std::set<std::string_view> seen;
    for (const MachineType& type : out.types) {
        if (!seen.insert(type.name).second)
            return detail::misfit("types have name " + in_quotes(type.name) + " twice");
    }
    return out;
}

namespace detail {

/// Whether the name has only characters that clouds accept in names, and Kubernetes in label
/// values.
inline bool is_group_name(std::string_view name) noexcept {
    const auto fits = [](char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '-'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace detail

inline Result<GroupPlan> group_plan_from_abi(const capstan_group_plan& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    GroupPlan out;
    out.spot = raw.spot != 0;
    CAPSTAN_TRY(out.name, detail::text_from_abi("name", raw.name, detail::Text::required));
    if (!detail::is_group_name(out.name))
        return detail::misfit("name " + in_quotes(out.name) +
                              " has characters other than lower-case letters, digits and '-'");
    CAPSTAN_TRY(out.machine_type,
                detail::text_from_abi("machine_type", raw.machine_type, detail::Text::required));
    CAPSTAN_TRY(out.zone, detail::text_from_abi("zone", raw.zone));
    CAPSTAN_TRY(out.labels, detail::labels_from_abi("labels", raw.labels));
    CAPSTAN_TRY(out.taints,
                detail::list_from_abi<capstan_taint>("taints", raw.taints, detail::taint_from_abi));
    return out;
}

CAPSTAN_NAMESPACE_END
