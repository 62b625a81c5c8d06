/// The contract of a cloud provider: the machines' side of a cluster.
///
///     class AcmeCloud {
///     public:
///         AcmeCloud(Host host, const Settings& settings);
///
///         // once per pass: one consistent picture
///         Task<CloudView> refresh();
///
///         Task<Resized> increase(Resize request);
///
///         // takes back, never removes a machine
///         Task<Resized> decrease_target(Resize request);
///
///         Task<Removed> remove(Removal request);
///
///         // when a group's fingerprint changes
///         Task<NodeTemplate> describe(NodeGroupId group);
///
///         // optional, besides what autoprovision.hpp has for clouds that make groups:
///         Result<Price> price(const Call& call, const TemplateView& node) const;
///         GroupOptions options(const Call& call, const GroupView& group) const;
///     };
///
/// Each Task may also be a plain value or Result, and a view that is told again unchanged a
/// SharedCloudView (shared_cloud_view.hpp). All asynchronous functions run on the instance's
/// strand and must not block; arguments come by value, since they must outlive suspension. `price`
/// and `options` run on a decision thread, maybe at the same time as those: they look at nothing
/// that changes, or lock it.
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
#include <capstan/shared_cloud_view.hpp>
#include <capstan/task.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// What one node costs.
struct Price {
    double per_hour = 0;
    std::string currency = "USD";               ///< ISO 4217
    bool spot = false;                          ///< may be reclaimed by the cloud
    std::optional<double> interruption_rate{};  ///< per hour, 0 to 1
    bool operator==(const Price&) const = default;
};

/// A group's own wishes; what is absent leaves the host's default alone.
struct GroupOptions {
    std::optional<double> utilization_threshold{}, gpu_utilization_threshold{};  ///< 0 to 1
    std::optional<Duration> unneeded_time{}, unready_time{};
    std::optional<Duration> max_node_provision_time{};
    std::optional<Duration> drain_timeout{};
    std::optional<bool> zero_or_max{};  ///< only ever empty or full
    std::optional<bool> ignore_daemonsets_utilization{};
    bool operator==(const GroupOptions&) const = default;
};

template <class T>
concept CloudProvider = requires(T& t, Resize resize, Removal removal, NodeGroupId group) {
    t.refresh();
    t.increase(resize);
    t.decrease_target(resize);
    t.remove(removal);
    t.describe(group);
};

/// What crosses as a price; `out` keeps the struct_size its owner set.
inline void to_abi(const Price& price, capstan_price& out) noexcept {
    out.spot = price.spot ? 1 : 0;
    out.present =
        price.interruption_rate ? static_cast<std::uint64_t>(CAPSTAN_PRICE_INTERRUPTION_RATE) : 0;
    out.per_hour = price.per_hour;
    out.interruption_rate = price.interruption_rate.value_or(0);
    std::memset(out.currency, 0, sizeof out.currency);
    std::memcpy(out.currency, price.currency.data(),
                std::min(price.currency.size(), sizeof out.currency - 1));
}

inline void to_abi(const GroupOptions& options, capstan_group_options& out) noexcept {
    out.present = 0;
    const auto set = [&out](const auto& value, auto& member, std::uint64_t bit, auto convert) {
        if (!value) return;
        member = convert(*value);
        out.present |= bit;
    };
    const auto same = [](double v) { return v; };
    const auto ns = [](Duration d) { return static_cast<std::int64_t>(d.count()); };
    const auto flag = [](bool b) { return std::int32_t(b ? 1 : 0); };
    set(options.utilization_threshold, out.utilization_threshold, CAPSTAN_GROUP_OPTION_UTILIZATION,
        same);
    set(options.gpu_utilization_threshold, out.gpu_utilization_threshold,
        CAPSTAN_GROUP_OPTION_GPU_UTILIZATION, same);
    set(options.unneeded_time, out.unneeded_ns, CAPSTAN_GROUP_OPTION_UNNEEDED, ns);
    set(options.unready_time, out.unready_ns, CAPSTAN_GROUP_OPTION_UNREADY, ns);
    set(options.max_node_provision_time, out.max_provision_ns, CAPSTAN_GROUP_OPTION_PROVISION, ns);
    set(options.drain_timeout, out.drain_timeout_ns, CAPSTAN_GROUP_OPTION_DRAIN, ns);
    set(options.zero_or_max, out.zero_or_max, CAPSTAN_GROUP_OPTION_ZERO_OR_MAX, flag);
    set(options.ignore_daemonsets_utilization, out.ignore_daemonsets,
        CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS, flag);
}

namespace detail {

/// Ends an operation with a value of the C++ layer, crossing for the time of the call.
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
    static constexpr bool has_price = requires(T& t, const Call& call, const TemplateView& node) {
        { t.price(call, node) } -> std::convertible_to<Result<Price>>;
    };
    static constexpr bool has_options = requires(T& t, const Call& call, const GroupView& group) {
        { t.options(call, group) } -> std::convertible_to<Result<GroupOptions>>;
    };

    static_assert(
        has_price || !requires { &T::price; },
        "price(const Call&, const TemplateView&) gives a Price or Result<Price>");
    static_assert(
        has_options || !requires { &T::options; },
        "options(const Call&, const GroupView&) gives GroupOptions or a Result of them");

    T* object;
    const Host* host = nullptr;
    capstan_cloud cloud{sizeof cloud, 0, nullptr, &refresh, &increase, &decrease_target, &remove};
    capstan_cloud_templates templates{sizeof templates, 0, nullptr, &describe};
    capstan_cloud_pricing pricing{sizeof pricing, 0, nullptr, nullptr};
    capstan_cloud_options options{sizeof options, 0, nullptr, nullptr};
    AutoprovisionTable<T> autoprovision;

    explicit CloudTable(T& cloud_object) noexcept
        : object(&cloud_object), autoprovision(cloud_object) {}
    /// Called once the tables stand where they will stay.
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
    static capstan_status refresh(void* self, capstan_op op) noexcept {
        return run_operation<CloudView>(*me(self).host, op,
                                        [&] { return me(self).object->refresh(); });
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
    static capstan_status describe(void* self, capstan_op op, capstan_str group) noexcept {
        return run_operation<NodeTemplate>(*me(self).host, op, [&] {
            return me(self).object->describe(NodeGroupId(text(group)));
        });
    }
    static capstan_status price(void* self, const capstan_call* call, const capstan_template* node,
                                capstan_price* out) noexcept {
        return guarded(call, [&]() -> Result<void> {
            CAPSTAN_TRY(const Price found,
                        Result<Price>(me(self).object->price(Call(*call), TemplateView(*node))));
            to_abi(found, *out);
            return {};
        });
    }
    static capstan_status get_options(void* self, const capstan_call* call,
                                      const capstan_group* group,
                                      capstan_group_options* out) noexcept {
        return guarded(call, [&]() -> Result<void> {
            CAPSTAN_TRY(const GroupOptions found, Result<GroupOptions>(me(self).object->options(
                                                      Call(*call), GroupView(*group))));
            to_abi(found, *out);
            return {};
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
