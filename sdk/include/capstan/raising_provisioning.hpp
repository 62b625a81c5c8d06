/// raising.hpp for node auto-provisioning: machine types and plans of groups, with the same checks
/// and errors.
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/abi/group_source.h>
#include <capstan/machine_type.hpp>
#include <capstan/raising.hpp>

CAPSTAN_NAMESPACE_BEGIN

inline Result<MachineOffer> raise_machine_offer(const capstan_machine_offer& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineOffer out;
    out.spot = raw.spot != 0;
    CAPSTAN_TRY(out.zone, detail::raise_text("zone", raw.zone));
    CAPSTAN_TRY(out.labels, detail::raise_labels("labels", raw.labels));
    if ((raw.present & CAPSTAN_MACHINE_OFFER_PRICE) == 0) return out;
    if (!std::isfinite(raw.price_per_hour)) return detail::misfit("price_per_hour is no number");
    out.price_per_hour = raw.price_per_hour;
    return out;
}

inline Result<MachineType> raise_machine_type(const capstan_machine_type& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineType out;
    CAPSTAN_TRY(out.name, detail::raise_text("name", raw.name, detail::Text::required));
    CAPSTAN_TRY(out.labels, detail::raise_labels("labels", raw.labels));
    CAPSTAN_TRY(out.taints,
                detail::raise_list<capstan_taint>("taints", raw.taints, detail::raise_taint));
    CAPSTAN_TRY(out.capacity, detail::raise_resources("capacity", raw.capacity));
    CAPSTAN_TRY(out.allocatable, detail::raise_resources("allocatable", raw.allocatable));
    CAPSTAN_TRY(out.offers, detail::raise_list<capstan_machine_offer>("offers", raw.offers,
                                                                      raise_machine_offer));
    std::set<std::pair<std::string_view, bool>> seen;
    for (const MachineOffer& offer : out.offers) {
        if (!seen.emplace(offer.zone, offer.spot).second)
            return detail::misfit("offers have zone " + in_quotes(offer.zone) + " twice");
    }
    return out;
}

/// No two types have one name.
inline Result<MachineTypes> raise_machine_types(const capstan_machine_types& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    MachineTypes out;
    CAPSTAN_TRY(out.types,
                detail::raise_list<capstan_machine_type>("types", raw.types, raise_machine_type));
    std::set<std::string_view> seen;
    for (const MachineType& type : out.types) {
        if (!seen.insert(type.name).second)
            return detail::misfit("types have name " + in_quotes(type.name) + " twice");
    }
    return out;
}

namespace detail {

/// Every cloud takes such a name, and so does a label's value.
inline bool is_group_name(std::string_view name) noexcept {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace detail

inline Result<GroupPlan> raise_group_plan(const capstan_group_plan& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    GroupPlan out;
    out.spot = raw.spot != 0;
    CAPSTAN_TRY(out.name, detail::raise_text("name", raw.name, detail::Text::required));
    if (!detail::is_group_name(out.name))
        return detail::misfit("name " + in_quotes(out.name) +
                              " has more than lower-case letters, digits and '-'");
    CAPSTAN_TRY(out.machine_type,
                detail::raise_text("machine_type", raw.machine_type, detail::Text::required));
    CAPSTAN_TRY(out.zone, detail::raise_text("zone", raw.zone));
    CAPSTAN_TRY(out.labels, detail::raise_labels("labels", raw.labels));
    CAPSTAN_TRY(out.taints,
                detail::raise_list<capstan_taint>("taints", raw.taints, detail::raise_taint));
    return out;
}

CAPSTAN_NAMESPACE_END
