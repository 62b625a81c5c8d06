/// The contract of a group source: node groups that could exist.
///
///     class OnePool {
///     public:
///         void suggest(const Call& call, const GroupSourceRequest& request,
///                      const GroupSuggestions& suggest) const;
///         bool owns(const Call& call, const GroupView& group) const;
///     };
///
/// Results depend only on arguments and settings, so that an existing group is recognized by its
/// name. The host drops suggestions that help no pod or exceed a limit, and compares the others
/// with existing groups. The cloud creates the chosen group, and deletes it when it is empty and
/// `owns` returns true.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <capstan/abi/group_source.h>
#include <capstan/call.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/model_views.hpp>
#include <capstan/to_abi_provisioning.hpp>

CAPSTAN_NAMESPACE_BEGIN

class MachineOfferingView {
public:
    explicit MachineOfferingView(const capstan_machine_offering& offer) noexcept : offer_(&offer) {}
    std::string_view zone() const noexcept { return text(offer_->zone); }
    bool spot() const noexcept { return offer_->spot != 0; }
    View<capstan_kv> labels() const noexcept { return View<capstan_kv>(offer_->labels); }
    std::optional<double> price_per_hour() const noexcept {
        return (offer_->present & CAPSTAN_MACHINE_OFFERING_PRICE) != 0
                   ? std::optional<double>(offer_->price_per_hour)
                   : std::nullopt;
    }

private:
    const capstan_machine_offering* offer_;
};
using MachineOfferingList = Listing<MachineOfferingView, capstan_machine_offering>;

class MachineTypeView {
public:
    explicit MachineTypeView(const capstan_machine_type& type) noexcept : type_(&type) {}
    std::string_view name() const noexcept { return text(type_->name); }
    View<capstan_kv> labels() const noexcept { return View<capstan_kv>(type_->labels); }
    View<capstan_taint> taints() const noexcept { return View<capstan_taint>(type_->taints); }
    View<capstan_quantity> capacity() const noexcept {
        return View<capstan_quantity>(type_->capacity);
    }
    View<capstan_quantity> allocatable() const noexcept {
        return View<capstan_quantity>(type_->allocatable);
    }
    MachineOfferingList offerings() const noexcept { return MachineOfferingList(type_->offerings); }
    const capstan_machine_type& raw() const noexcept { return *type_; }

private:
    const capstan_machine_type* type_;
};
using MachineTypeList = Listing<MachineTypeView, capstan_machine_type>;

class ExistingGroupView {
public:
    explicit ExistingGroupView(const capstan_existing_group& existing) noexcept
        : existing_(&existing) {}
    GroupView group() const noexcept { return GroupView(*existing_->group); }
    /// The template of a new node; absent: unknown.
    std::optional<TemplateView> node() const noexcept {
        return existing_->node != nullptr ? std::optional<TemplateView>(*existing_->node)
                                          : std::nullopt;
    }

private:
    const capstan_existing_group* existing_;
};
using ExistingGroupList = Listing<ExistingGroupView, capstan_existing_group>;

/// Borrowed until the hook returns.
class GroupSourceRequest {
public:
    explicit GroupSourceRequest(const capstan_group_source_request& in) noexcept : in_(&in) {}
    /// Pods that fit on no existing or upcoming node.
    PodEquivalenceGroupList pods() const noexcept { return PodEquivalenceGroupList(in_->pods); }
    /// Machine types of one cloud, ordered by name.
    MachineTypeList machines() const noexcept { return MachineTypeList(in_->machines); }
    /// Groups of all clouds, ordered by id.
    ExistingGroupList existing() const noexcept { return ExistingGroupList(in_->existing); }
    /// How much the cluster may still grow, by resource; "nodes" and "gpu" are among the names. An
    /// absent resource has no limit.
    View<capstan_quantity> room() const noexcept { return View<capstan_quantity>(in_->room); }
    /// The plugin instance of the cloud that offers the machines. The names of suggested groups
    /// should depend on it, since several clouds may have machine types with the same name.
    std::string_view cloud() const noexcept { return text(in_->cloud); }

private:
    const capstan_group_source_request* in_;
};

/// suggest(plan, because) suggests a group; other groups are not considered.
class GroupSuggestions {
public:
    explicit GroupSuggestions(const capstan_group_source_response& out) noexcept : out_(&out) {}
    void operator()(const GroupPlan& plan, std::string_view because) const {
        ProvisioningAbiArena arena;
        const capstan_group_plan crossing = arena.to_abi(plan);
        out_->suggest(out_, &crossing, str(because));
    }
    /// Why a machine type is not suggested, or not in every zone. Report the machine type that
    /// comes closest to fitting the pods first: its reason is shown for them.
    void leave_out(std::string_view machine_type, std::string_view because) const noexcept {
        out_->leave_out(out_, str(machine_type), str(because));
    }
    /// The maximum number of groups in the cluster; all groups count.
    void limit_groups(std::int32_t most) const noexcept { out_->limit_groups(out_, most); }

private:
    const capstan_group_source_response* out_;
};

template <class T>
concept GroupSource = requires(T& t, const Call& call, const GroupSourceRequest& request,
                               const GroupSuggestions& suggest, const GroupView& group) {
    t.suggest(call, request, suggest);
    { t.owns(call, group) } -> std::convertible_to<bool>;
};

namespace detail {

template <GroupSource T>
struct GroupSourceTable {
    static constexpr const char* kind = CAPSTAN_KIND_GROUP_SOURCE;
    static constexpr bool is_parallel = GroupSource<const T>;
    capstan_group_source table;

    explicit GroupSourceTable(T& object) noexcept
        : table{sizeof table, 0, &object, &suggest, &owns} {}
    static capstan_status suggest(void* self, const capstan_call* call,
                                  const capstan_group_source_request* in,
                                  const capstan_group_source_response* out) noexcept {
        return guarded(call, [&] {
            return static_cast<T*>(self)->suggest(Call(*call), GroupSourceRequest(*in),
                                                  GroupSuggestions(*out));
        });
    }
    static capstan_status owns(void* self, const capstan_call* call, const capstan_group* group,
                               std::int32_t* owns) noexcept {
        return guarded(call, [&] {
            *owns = static_cast<T*>(self)->owns(Call(*call), GroupView(*group)) ? 1 : 0;
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
