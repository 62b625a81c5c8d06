/// The contract of a cloud provider: node groups and machines of a cloud.
///
///     class AcmeCloud {
///     public:
///         AcmeCloud(Host host, const Settings& settings);
///
///         // at most once per pass: one consistent picture
///         Task<CloudView> refresh();  // or refresh(RefreshRequest)
///
///         Task<Resized> increase(Resize request);
///
///         // cancels requested machines, never removes an existing one
///         Task<Resized> decrease_target(Resize request);
///
///         Task<Removed> remove(Removal request);
///
///         // for a group with a new fingerprint, or an empty one
///         Task<NodeTemplate> describe(NodeGroupId group);  // or describe(DescribeRequest)
///
///         // optional; for clouds that create groups see also autoprovision.hpp:
///         Result<Price> price(const Call&, const GroupView& group,
///                             const TemplateView& node) const;
///         Result<GroupOptions> options(const Call&, const GroupView& group) const;
///     };
///
/// Prefer NodeGroup::price and NodeGroup::options: they come with the group and cannot miss a
/// deadline. The hooks `price` and `options` are called for groups without them, also for groups
/// that do not exist yet.
///
/// Each Task may also be a plain value or Result. A `refresh` that finds nothing changed may return
/// a SharedCloudView (shared_cloud_view.hpp). All asynchronous functions run on the instance's
/// strand and must not block; arguments come by value, since they must outlive suspension. `price`
/// and `options` run on a decision thread, possibly at the same time as an asynchronous function:
/// they read only immutable data, or lock it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>

#include <capstan/abi/cloud.h>
#include <capstan/autoprovision.hpp>
#include <capstan/call.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/from_abi.hpp>
#include <capstan/model_views.hpp>
#include <capstan/node_template.hpp>
#include <capstan/requests.hpp>
#include <capstan/shared_cloud_view.hpp>
#include <capstan/task.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
concept CloudProvider = requires(T& t, Resize resize, Removal removal) {
    t.increase(resize);
    t.decrease_target(resize);
    t.remove(removal);
} && (requires(T& t) { t.refresh(); } || requires(T& t, RefreshRequest request) {
    t.refresh(request);
}) && (requires(T& t, NodeGroupId group) { t.describe(group); } || requires(T& t, DescribeRequest request) {
    t.describe(request);
});

namespace detail {

/// Ends an operation with a value of the C++ layer, converted for the time of the call.
template <std::uint32_t type, class Value>
struct AbiCompletion {
    static capstan_status complete(const Host& host, capstan_op op, const Value& value) {
        AbiArena arena;
        const auto crossing = arena.to_abi(value);
        return host.ops()->complete(host.raw(), op, type, &crossing);
    }
};
template <>
struct Completion<CloudView> : AbiCompletion<CAPSTAN_RESULT_CLOUD_VIEW, CloudView> {
    using AbiCompletion::complete;
    static capstan_status complete(const Host& host, capstan_op op,
                                   const SharedCloudView& view) noexcept {
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_CLOUD_VIEW, &view.raw());
    }
};
template <>
inline constexpr bool stands_for<CloudView, SharedCloudView> = true;
template <>
struct Completion<Resized> : AbiCompletion<CAPSTAN_RESULT_RESIZED, Resized> {};
template <>
struct Completion<Removed> : AbiCompletion<CAPSTAN_RESULT_REMOVED, Removed> {};
template <>
struct Completion<NodeTemplate> : AbiCompletion<CAPSTAN_RESULT_TEMPLATE, NodeTemplate> {};

/// The tables of a cloud: the kind itself and its companions.
template <CloudProvider T>
struct CloudTable {
    static constexpr const char* kind = CAPSTAN_KIND_CLOUD;
    static constexpr bool is_parallel = false;
    static constexpr bool has_price =
        requires(T& t, const Call& call, const GroupView& group, const TemplateView& node) {
            { t.price(call, group, node) } -> std::convertible_to<Result<Price>>;
        };
    static constexpr bool has_options = requires(T& t, const Call& call, const GroupView& group) {
        { t.options(call, group) } -> std::convertible_to<Result<GroupOptions>>;
    };

    static_assert(
        has_price || !requires { &T::price; },
        "price(const Call&, const GroupView&, const TemplateView&) returns Price or "
        "Result<Price>");
    static_assert(
        has_options || !requires { &T::options; },
        "options(const Call&, const GroupView&) returns GroupOptions or Result<GroupOptions>");

    T* object;
    const Host* host = nullptr;
    capstan_cloud cloud{sizeof cloud, 0, nullptr, &refresh, &increase, &decrease_target, &remove};
    capstan_cloud_templates templates{sizeof templates, 0, nullptr, &describe};
    capstan_cloud_pricing pricing{sizeof pricing, 0, nullptr, nullptr};
    capstan_cloud_options options{sizeof options, 0, nullptr, nullptr};
    AutoprovisionTable<T> autoprovision;

    explicit CloudTable(T& cloud_object) noexcept
        : object(&cloud_object), autoprovision(cloud_object) {}
    /// Called once the tables are at their final address.
    void attach(const Host& owner) noexcept {
        host = &owner;
        cloud.self = templates.self = pricing.self = options.self = this;
        if constexpr (has_price) pricing.price = &price;
        if constexpr (has_options) options.get = &get_options;
        autoprovision.attach(owner);
    }
    const void* interface_of(const char* id) const noexcept {
        if (std::strcmp(id, CAPSTAN_KIND_CLOUD) == 0) return &cloud;
        if (std::strcmp(id, CAPSTAN_INTERFACE_TEMPLATES) == 0) return &templates;
        if (has_price && std::strcmp(id, CAPSTAN_INTERFACE_PRICING) == 0) return &pricing;
        if (has_options && std::strcmp(id, CAPSTAN_INTERFACE_OPTIONS) == 0) return &options;
        if (autoprovision.is_there && std::strcmp(id, CAPSTAN_INTERFACE_AUTOPROVISION) == 0)
            return &autoprovision.table;
        return nullptr;
    }

private:
    template <class Request>
    static Request demand(Result<Request> request) {
        if (!request) throw Failure(std::move(request).error());
        return std::move(*request);
    }
    static CloudTable& me(void* self) noexcept { return *static_cast<CloudTable*>(self); }
    static capstan_status refresh(void* self, capstan_op op,
                                  const capstan_refresh_request* raw) noexcept {
        return run_operation<CloudView>(*me(self).host, op, [&] {
            if constexpr (requires(T& t) { t.refresh(); }) {
                return me(self).object->refresh();
            } else {
                return me(self).object->refresh(from_abi(*raw));
            }
        });
    }
    static capstan_status increase(void* self, capstan_op op, const capstan_resize* r) noexcept {
        return run_operation<Resized>(*me(self).host, op, [&] {
            return me(self).object->increase(demand(resize_from_abi(*r)));
        });
    }
    static capstan_status decrease_target(void* self, capstan_op op,
                                          const capstan_resize* r) noexcept {
        return run_operation<Resized>(*me(self).host, op, [&] {
            return me(self).object->decrease_target(demand(resize_from_abi(*r)));
        });
    }
    static capstan_status remove(void* self, capstan_op op, const capstan_removal* r) noexcept {
        return run_operation<Removed>(*me(self).host, op, [&] {
            return me(self).object->remove(demand(removal_from_abi(*r)));
        });
    }
    static capstan_status describe(void* self, capstan_op op,
                                   const capstan_describe_request* raw) noexcept {
        return run_operation<NodeTemplate>(*me(self).host, op, [&] {
            if constexpr (requires(T& t, NodeGroupId group) { t.describe(group); }) {
                return me(self).object->describe(from_abi(*raw).group);
            } else {
                return me(self).object->describe(from_abi(*raw));
            }
        });
    }
    static capstan_status price(void* self, const capstan_call* call, const capstan_group* group,
                                const capstan_template* node, capstan_price* out) noexcept {
        return guarded(call, [&]() -> Result<void> {
            CAPSTAN_TRY(const Price found,
                        Result<Price>(me(self).object->price(Call(*call), GroupView(*group),
                                                             TemplateView(*node))));
            fill(*out, AbiArena().to_abi(found));
            return {};
        });
    }
    /// Copies as many bytes as the caller's struct has room for.
    template <class Raw>
    static void fill(Raw& out, const Raw& from) noexcept {
        const std::uint32_t size = out.struct_size;
        std::memcpy(&out, &from, std::min<std::size_t>(size, sizeof from));
        out.struct_size = size;
    }
    static capstan_status get_options(void* self, const capstan_call* call,
                                      const capstan_group* group,
                                      capstan_group_options* out) noexcept {
        return guarded(call, [&]() -> Result<void> {
            CAPSTAN_TRY(const GroupOptions found, Result<GroupOptions>(me(self).object->options(
                                                      Call(*call), GroupView(*group))));
            fill(*out, AbiArena().to_abi(found));
            return {};
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
