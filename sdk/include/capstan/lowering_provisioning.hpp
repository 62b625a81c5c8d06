/// lowering.hpp for node auto-provisioning: machine types and plans of groups.
#pragma once

#include <capstan/abi/group_source.h>
#include <capstan/lowering.hpp>
#include <capstan/machine_type.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// As Lowering, which it is.
class ProvisioningLowering : public Lowering {
public:
    using Lowering::list;
    using Lowering::lower;

    capstan_machine_offer lower(const MachineOffer& offer) {
        return {sizeof(capstan_machine_offer),
                offer.spot ? 1 : 0,
                offer.price_per_hour ? static_cast<std::uint64_t>(CAPSTAN_MACHINE_OFFER_PRICE) : 0,
                str(offer.zone),
                list(offer.labels),
                offer.price_per_hour.value_or(0)};
    }
    capstan_machine_type lower(const MachineType& type) {
        return {sizeof(capstan_machine_type),
                0,
                str(type.name),
                list(type.labels),
                list(type.taints),
                list(type.capacity),
                list(type.allocatable),
                list(type.offers)};
    }
    capstan_machine_types lower(const MachineTypes& machines) {
        return {sizeof(capstan_machine_types), 0, list(machines.types)};
    }
    capstan_group_plan lower(const GroupPlan& plan) {
        return {sizeof(capstan_group_plan), plan.spot ? 1 : 0, str(plan.name),
                str(plan.machine_type),     str(plan.zone),    list(plan.labels),
                list(plan.taints)};
    }
    capstan_array list(const std::vector<MachineOffer>& offers) {
        return map(offers, [this](const MachineOffer& offer) { return lower(offer); });
    }
    capstan_array list(const std::vector<MachineType>& types) {
        return map(types, [this](const MachineType& type) { return lower(type); });
    }
};

CAPSTAN_NAMESPACE_END
