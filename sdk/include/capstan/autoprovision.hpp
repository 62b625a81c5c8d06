/// The companion of a cloud that makes and deletes node groups; a CloudProvider class
/// implements it with four more functions.
///
///     Task<MachineTypes> machine_types();                 // after each refresh
///     Result<PlannedGroup> new_group(const Call& call, const GroupPlan& plan) const;
///     Task<void> create(GroupPlan plan);      // with target 0; may be called again
///     Task<void> destroy(NodeGroupId group);  // only empty groups that create made
///
/// `new_group` returns a theoretical group, which `refresh` does not list. Like `price` it runs on
/// a decision thread, possibly at the same time as the other functions. ErrorCode::unsupported:
/// such a group is not possible. `destroy` refuses a group with machines or a target above 0
/// (`conflict`), and a group that `create` did not make (`permission`). `machine_types` and
/// `destroy` may take MachineTypesRequest and DestroyRequest.
#pragma once

#include <concepts>
#include <cstring>
#include <utility>

#include <capstan/abi/autoprovision.h>
#include <capstan/call.hpp>
#include <capstan/from_abi_provisioning.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/requests.hpp>
#include <capstan/task.hpp>
#include <capstan/to_abi_provisioning.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
concept Autoprovisions =
    requires(T& t, const Call& call, const GroupPlan& plan, GroupPlan owned) {
        { t.new_group(call, plan) } -> std::convertible_to<Result<PlannedGroup>>;
        t.create(owned);
    } && (requires(T& t) { t.machine_types(); } || requires(T& t, MachineTypesRequest request) {
        t.machine_types(request);
    }) && (requires(T& t, NodeGroupId group) { t.destroy(group); } || requires(T& t, DestroyRequest request) {
        t.destroy(request);
    });

namespace detail {

template <>
struct Completion<MachineTypes> {
    static capstan_status complete(const Host& host, capstan_op op, const MachineTypes& value) {
        ProvisioningAbiArena arena;
        const auto crossing = arena.to_abi(value);
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_MACHINE_TYPES, &crossing);
    }
};

/// The companion's table for an object that has the four functions; empty otherwise.
template <class T>
struct AutoprovisionTable {
    static constexpr bool is_there = Autoprovisions<T>;
    static_assert(
        is_there || !requires { &T::new_group; },
        "machine_types(), new_group(const Call&, const GroupPlan&), create(GroupPlan) and "
        "destroy(NodeGroupId): implement all four or none");

    T* object;
    const Host* host = nullptr;
    capstan_cloud_autoprovision table{sizeof table, 0, nullptr, nullptr, nullptr, nullptr, nullptr};

    explicit AutoprovisionTable(T& cloud) noexcept : object(&cloud) {}
    void attach(const Host& owner) noexcept {
        host = &owner;
        table.self = this;
        if constexpr (is_there) {
            table.machine_types = &machine_types;
            table.new_group = &new_group;
            table.create = &create;
            table.destroy = &destroy;
        }
    }

private:
    static AutoprovisionTable& me(void* self) noexcept {
        return *static_cast<AutoprovisionTable*>(self);
    }
    static capstan_status machine_types(void* self, capstan_op op,
                                        const capstan_machine_types_request* raw) noexcept {
        return run_operation<MachineTypes>(*me(self).host, op, [&] {
            if constexpr (requires(T& t) { t.machine_types(); }) {
                return me(self).object->machine_types();
            } else {
                return me(self).object->machine_types(from_abi(*raw));
            }
        });
    }
    static capstan_status new_group(void* self, const capstan_call* call,
                                    const capstan_group_plan* raw,
                                    const capstan_new_group_response* out) noexcept {
        return guarded(call, [&]() -> Result<void> {
            CAPSTAN_TRY(const GroupPlan plan, group_plan_from_abi(*raw));
            CAPSTAN_TRY(const PlannedGroup planned,
                        Result<PlannedGroup>(me(self).object->new_group(Call(*call), plan)));
            AbiArena arena;
            const capstan_group group = arena.to_abi(planned.group);
            const capstan_template node = arena.to_abi(planned.node);
            out->answer(out, &group, &node);
            return {};
        });
    }
    static capstan_status create(void* self, capstan_op op,
                                 const capstan_group_plan* raw) noexcept {
        return run_operation<void>(*me(self).host, op, [&] {
            Result<GroupPlan> plan = group_plan_from_abi(*raw);
            if (!plan) throw Failure(std::move(plan).error());
            return me(self).object->create(std::move(*plan));
        });
    }
    static capstan_status destroy(void* self, capstan_op op,
                                  const capstan_destroy_request* raw) noexcept {
        return run_operation<void>(*me(self).host, op, [&] {
            if constexpr (requires(T& t, NodeGroupId group) { t.destroy(group); }) {
                return me(self).object->destroy(from_abi(*raw).group);
            } else {
                return me(self).object->destroy(from_abi(*raw));
            }
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
