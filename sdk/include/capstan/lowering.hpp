/// From values to what crosses the boundary, without copying text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/scale_up_option.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Holds the arrays that lowered structs point to. The structs borrow from this arena and from the
/// values, so both must outlive their use and the values must stay as they are; a temporary does
/// not compile. What options share (template, list of pods) is lowered once. Not thread-safe; freed
/// as a whole.
///
///     Lowering arena;
///     const capstan_array options = arena.list(question.options);
class Lowering {
public:
    Lowering() = default;
    Lowering(const Lowering&) = delete;
    Lowering& operator=(const Lowering&) = delete;

    capstan_group lower(const NodeGroup& group);
    capstan_template lower(const NodeTemplate& node);
    capstan_pod_class lower(const PodClass& pods);
    capstan_option lower(const ScaleUpOption& option);
    capstan_cloud_instance lower(const Machine& machine);
    capstan_cloud_view lower(const CloudView& view);
    capstan_resize lower(const Resize& resize);
    capstan_resized lower(const Resized& resized) const noexcept {
        return {sizeof(capstan_resized), resized.target};
    }
    capstan_removal lower(const Removal& removal);
    capstan_removed lower(const Removed& removed);
    capstan_requirement lower(const Requirement& requirement);
    capstan_node_selector_term lower(const NodeSelectorTerm& term);
    capstan_toleration lower(const Toleration& toleration) const noexcept;
    capstan_error lower(const Error& error) const noexcept { return capstan::lower(error); }
    capstan_taint lower(const Taint& taint) const noexcept {
        return {str(taint.key), str(taint.value), static_cast<std::int32_t>(taint.effect), 0};
    }
    template <class Tag>
    capstan_str lower(const Id<Tag>& id) const noexcept {
        return str(id.value());
    }
    capstan_str lower(const std::string& written) const noexcept { return str(written); }
    template <class T>
    void lower(const T&& temporary) = delete;

    /// The elements of `values`, each lowered.
    template <class T>
    capstan_array list(const std::vector<T>& values) {
        return map(values, [this](const T& value) { return lower(value); });
    }
    capstan_array list(const Labels& labels) {
        return map(labels,
                   [](const auto& pair) { return capstan_kv{str(pair.first), str(pair.second)}; });
    }
    capstan_array list(const Resources& resources) {
        return map(resources,
                   [](const auto& e) { return capstan_quantity{str(e.resource), e.amount}; });
    }
    template <class T>
    void list(const T&& temporary) = delete;

protected:
    /// Each of `values` through `lower_one`.
    template <class Values, class F>
    capstan_array map(const Values& values, F lower_one);

private:
    static constexpr std::uint64_t bit_if(bool present, std::uint64_t bit) noexcept {
        return present ? bit : 0;
    }
    /// `raw` at an address that stays.
    template <class Raw>
    const Raw* keep(const Raw& raw) {
        return new (memory_.allocate(sizeof(Raw), alignof(Raw))) Raw(raw);
    }
    const capstan_template* lowered_once(const NodeTemplate& node);

    std::pmr::monotonic_buffer_resource memory_;
    std::unordered_map<const NodeTemplate*, const capstan_template*> templates_;
};

template <class Values, class F>
capstan_array Lowering::map(const Values& values, F lower_one) {
    using Raw = decltype(lower_one(*values.begin()));
    static_assert(std::is_trivially_destructible_v<Raw>);
    const auto stride = static_cast<std::uint32_t>(sizeof(Raw));
    if (values.empty()) return {nullptr, 0, stride};
    auto* const first =
        static_cast<Raw*>(memory_.allocate(values.size() * sizeof(Raw), alignof(Raw)));
    Raw* next = first;
    for (const auto& value : values) new (next++) Raw(lower_one(value));
    return {first, static_cast<std::uint32_t>(values.size()), stride};
}

inline const capstan_template* Lowering::lowered_once(const NodeTemplate& node) {
    const auto [at, is_new] = templates_.try_emplace(&node, nullptr);
    if (is_new) at->second = keep(lower(node));
    return at->second;
}

inline capstan_group Lowering::lower(const NodeGroup& group) {
    capstan_group out{};
    out.struct_size = sizeof out;
    out.present = bit_if(group.min.has_value(), CAPSTAN_GROUP_MIN) |
                  bit_if(group.max.has_value(), CAPSTAN_GROUP_MAX) |
                  bit_if(group.target.has_value(), CAPSTAN_GROUP_TARGET) |
                  bit_if(group.healthy.has_value(), CAPSTAN_GROUP_HEALTH) |
                  CAPSTAN_GROUP_AUTOPROVISIONED;
    out.id = lower(group.id);
    out.min = group.min.value_or(0);
    out.max = group.max.value_or(0);
    out.target = group.target.value_or(0);
    out.healthy = group.healthy.value_or(true) ? 1 : 0;
    out.autoprovisioned = group.autoprovisioned ? 1 : 0;
    out.health_reason = str(group.health_reason);
    out.debug = str(group.debug);
    out.template_fingerprint = str(group.template_fingerprint);
    out.tags = list(group.tags);
    return out;
}

inline capstan_template Lowering::lower(const NodeTemplate& node) {
    capstan_template out{};
    out.struct_size = sizeof out;
    out.variants = node.variants;
    out.name = str(node.name);
    out.machine_type = str(node.machine_type);
    out.zone = str(node.zone);
    out.arch = str(node.arch);
    out.os = str(node.os);
    out.labels = list(node.labels);
    out.annotations = list(node.annotations);
    out.taints = list(node.taints);
    out.capacity = list(node.capacity);
    out.allocatable = list(node.allocatable);
    out.free = list(node.free);
    out.fingerprint = str(node.fingerprint);
    return out;
}

inline capstan_requirement Lowering::lower(const Requirement& requirement) {
    return {sizeof(capstan_requirement), static_cast<std::int32_t>(requirement.op),
            str(requirement.key), list(requirement.values)};
}

inline capstan_node_selector_term Lowering::lower(const NodeSelectorTerm& term) {
    return {sizeof(capstan_node_selector_term), term.weight, list(term.labels), list(term.fields)};
}

inline capstan_toleration Lowering::lower(const Toleration& toleration) const noexcept {
    const std::int32_t effect =
        toleration.effect ? static_cast<std::int32_t>(*toleration.effect) : 0;
    return {sizeof(capstan_toleration),
            static_cast<std::int32_t>(toleration.op),
            str(toleration.key),
            str(toleration.value),
            effect,
            0};
}

inline capstan_pod_class Lowering::lower(const PodClass& pods) {
    capstan_pod_class out{};
    out.struct_size = sizeof out;
    out.count = pods.count;
    out.ns = str(pods.ns);
    out.example = str(pods.example);
    out.owner_kind = str(pods.owner_kind);
    out.owner_name = str(pods.owner_name);
    out.scheduler = str(pods.scheduler);
    out.requests = list(pods.requests);
    out.labels = list(pods.labels);
    out.annotations = list(pods.annotations);
    out.node_selector = list(pods.node_selector);
    out.affinity_required = list(pods.affinity_required);
    out.affinity_preferred = list(pods.affinity_preferred);
    out.tolerations = list(pods.tolerations);
    out.priority = pods.priority;
    return out;
}

inline capstan_option Lowering::lower(const ScaleUpOption& option) {
    capstan_option out{};
    out.struct_size = sizeof out;
    out.nodes = option.nodes;
    out.present = bit_if(option.price_per_hour.has_value(), CAPSTAN_OPTION_PRICE);
    out.group = keep(lower(option.group));
    out.node = option.node ? lowered_once(*option.node) : nullptr;
    // The elements are the boundary's own: the list crosses as it lies.
    if (option.pods) out.pods = array_of(*option.pods);
    out.requested = list(option.requested);
    out.pod_count = option.pod_count;
    out.group_exists = option.group_exists ? 1 : 0;
    out.similar = list(option.similar);
    out.price_per_hour = option.price_per_hour.value_or(0);
    return out;
}

inline capstan_cloud_instance Lowering::lower(const Machine& machine) {
    capstan_cloud_instance out{};
    out.struct_size = sizeof out;
    out.state = static_cast<std::int32_t>(machine.state);
    out.present = bit_if(machine.launched.has_value(), CAPSTAN_MACHINE_LAUNCHED);
    out.id = lower(machine.id);
    out.group_id = lower(machine.group);
    out.machine_type = str(machine.machine_type);
    out.zone = str(machine.zone);
    out.launched_unix_ns = machine.launched ? unix_ns(*machine.launched) : 0;
    out.error = machine.error ? keep(lower(*machine.error)) : nullptr;
    return out;
}

inline capstan_cloud_view Lowering::lower(const CloudView& view) {
    return {sizeof(capstan_cloud_view), view.complete ? 1 : 0, list(view.groups),
            list(view.machines), list(view.unreadable)};
}

inline capstan_resize Lowering::lower(const Resize& resize) {
    return {sizeof(capstan_resize),        resize.delta,
            lower(resize.group),           resize.expected_target,
            resize.all_or_nothing ? 1 : 0, str(resize.idempotency_key)};
}

inline capstan_removal Lowering::lower(const Removal& removal) {
    return {sizeof(capstan_removal), removal.force ? 1 : 0, lower(removal.group),
            list(removal.machines), str(removal.idempotency_key)};
}

inline capstan_removed Lowering::lower(const Removed& removed) {
    return {sizeof(capstan_removed), 0, list(removed.failed)};
}

CAPSTAN_NAMESPACE_END
