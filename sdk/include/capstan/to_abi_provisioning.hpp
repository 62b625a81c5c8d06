/// to_abi.hpp for node auto-provisioning: machine types and plans of groups.
#pragma once

#include <capstan/abi/group_source.h>
#include <capstan/machine_type.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// An AbiArena for these types.
class ProvisioningAbiArena : public AbiArena {
public:
    using AbiArena::list;
    using AbiArena::to_abi;

    capstan_machine_offering to_abi(const MachineOffering& offer) {
        capstan_machine_offering out{};
        out.struct_size = sizeof out;
        out.spot = offer.spot ? 1 : 0;
        out.zone = str(offer.zone);
        out.labels = list(offer.labels);
        if (!offer.price_per_hour) return out;
        out.present = CAPSTAN_MACHINE_OFFERING_PRICE;
        out.price_per_hour = *offer.price_per_hour;
        detail::put_currency(offer.currency, out.currency);
        return out;
    }
    capstan_machine_type to_abi(const MachineType& type) {
        return {sizeof(capstan_machine_type),
                0,
                str(type.name),
                list(type.labels),
                list(type.taints),
                list(type.capacity),
                list(type.allocatable),
                list(type.offerings)};
    }
    capstan_machine_types to_abi(const MachineTypes& machines) {
        return {sizeof(capstan_machine_types), 0, list(machines.types)};
    }
    capstan_group_plan to_abi(const GroupPlan& plan) {
        return {sizeof(capstan_group_plan), plan.spot ? 1 : 0, str(plan.name),
                str(plan.machine_type),     str(plan.zone),    list(plan.labels),
                list(plan.taints)};
    }
    capstan_array list(const std::vector<MachineOffering>& offers) {
        return map(offers, [this](const MachineOffering& offer) { return to_abi(offer); });
    }
    capstan_array list(const std::vector<MachineType>& types) {
        return map(types, [this](const MachineType& type) { return to_abi(type); });
    }
};

CAPSTAN_NAMESPACE_END
