/// The heap memory that a value holds, and the fields of the snapshot's values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/snapshot/objects.hpp"

namespace capstan::engine::snapshot {

// The fields of the snapshot's values, for functions that treat all fields alike. A field that is
// added to a value but not here makes the build fail.

template <class A, class B>
auto fields(const std::pair<A, B>& pair) noexcept {
    return std::tie(pair.first, pair.second);
}
inline auto fields(const Resources::Entry& e) noexcept { return std::tie(e.resource, e.amount); }
inline auto fields(const Requirement& requirement) noexcept {
    const auto& [key, op, values] = requirement;
    return std::tie(key, op, values);
}
inline auto fields(const LabelSelector& selector) noexcept {
    const auto& [labels, expressions] = selector;
    return std::tie(labels, expressions);
}
inline auto fields(const NodeSelectorTerm& term) noexcept {
    const auto& [labels, names, weight] = term;
    return std::tie(labels, names, weight);
}
inline auto fields(const Taint& taint) noexcept {
    const auto& [key, value, effect] = taint;
    return std::tie(key, value, effect);
}
inline auto fields(const Toleration& toleration) noexcept {
    const auto& [key, op, value, effect] = toleration;
    return std::tie(key, op, value, effect);
}
inline auto fields(const HostPort& host_port) noexcept {
    const auto& [ip, protocol, port] = host_port;
    return std::tie(ip, protocol, port);
}
inline auto fields(const PodTerm& term) noexcept {
    const auto& [selector, namespaces, namespace_selector, key, match, mismatch] = term;
    return std::tie(selector, namespaces, namespace_selector, key, match, mismatch);
}
inline auto fields(const SpreadConstraint& spread) noexcept {
    const auto& [skew, key, selector, domains, affinity, taints, match] = spread;
    return std::tie(skew, key, selector, domains, affinity, taints, match);
}
inline auto fields(const InTreeVolume& volume) noexcept {
    const auto& [driver, handle] = volume;
    return std::tie(driver, handle);
}
inline auto fields(const PodSpec& spec) noexcept {
    const auto& [requests, node_selector, required, preferred, tolerations, affinity, anti_affinity,
                 spread, soft_spread, ports, priority, priority_class, never_preempts, scheduler,
                 claims, storage, local_volumes, in_tree_volumes, grace] = spec;
    return std::tie(requests, node_selector, required, preferred, tolerations, affinity,
                    anti_affinity, spread, soft_spread, ports, priority, priority_class,
                    never_preempts, scheduler, claims, storage, local_volumes, in_tree_volumes,
                    grace);
}
inline auto fields(const PodOwner& owner) noexcept {
    const auto& [kind, api_group, name, uid, job] = owner;
    return std::tie(kind, api_group, name, uid, job);
}
inline auto fields(const DaemonSetObject& object) noexcept {
    const auto& [ns, name, uid, spec, labels, annotations] = object;
    return std::tie(ns, name, uid, spec, labels, annotations);
}
inline auto fields(const DisruptionBudgetObject& object) noexcept {
    const auto& [ns, name, selector, allowed, observed, never] = object;
    return std::tie(ns, name, selector, allowed, observed, never);
}
inline auto fields(const ControllerObject& object) noexcept {
    const auto& [kind, ns, name, uid, replicas, selector, parallelism, failure] = object;
    return std::tie(kind, ns, name, uid, replicas, selector, parallelism, failure);
}
inline auto fields(const ClaimObject& object) noexcept {
    const auto& [ns, name, volume, storage_class, node, size, modes, block, selector] = object;
    return std::tie(ns, name, volume, storage_class, node, size, modes, block, selector);
}
inline auto fields(const VolumeObject& object) noexcept {
    const auto& [name, affinity, labels, storage_class, driver, handle, in_tree, size, modes,
                 claim_ns, claim_name, block] = object;
    return std::tie(name, affinity, labels, storage_class, driver, handle, in_tree, size, modes,
                    claim_ns, claim_name, block);
}
inline auto fields(const StorageClassObject& object) noexcept {
    const auto& [name, provisioner, migrated_to, waits, topologies] = object;
    return std::tie(name, provisioner, migrated_to, waits, topologies);
}
inline auto fields(const CsiNodeObject& object) noexcept {
    const auto& [name, limits, migrated] = object;
    return std::tie(name, limits, migrated);
}
inline auto fields(const CsiDriverObject& object) noexcept {
    const auto& [name, capacity] = object;
    return std::tie(name, capacity);
}
inline auto fields(const CsiCapacityObject& object) noexcept {
    const auto& [ns, name, storage_class, topology, size] = object;
    return std::tie(ns, name, storage_class, topology, size);
}
inline auto fields(const ServiceObject& object) noexcept {
    const auto& [ns, name, selector] = object;
    return std::tie(ns, name, selector);
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// The bytes that a container adds to each element. A map entry has a colour and three pointers in
// every common library.
template <class T>
inline constexpr std::size_t bytes_around = 0;
template <class K, class V, class C>
inline constexpr std::size_t bytes_around<std::map<K, V, C>> = 4 * sizeof(void*);

/// The heap memory of a value in bytes, not counting the value itself. This is an estimate.
template <class T>
std::size_t heap_bytes(const T& value) noexcept {
    std::size_t out = 0;
    if constexpr (std::is_trivially_copyable_v<T>) {
        return 0;
    } else if constexpr (std::is_same_v<T, std::string>) {
        return value.capacity() > std::string().capacity() ? value.capacity() + 1 : 0;
    } else if constexpr (is_optional<T>) {
        return value ? heap_bytes(*value) : 0;
    } else if constexpr (std::ranges::range<T>) {
        using Element = std::ranges::range_value_t<T>;
        out = value.size() * (sizeof(Element) + bytes_around<T>);
        for (const auto& element : value) out += heap_bytes(element);
    } else {
        std::apply([&](const auto&... field) { out = (heap_bytes(field) + ... + 0); },
                   fields(value));
    }
    return out;
}

}  // namespace capstan::engine::snapshot
