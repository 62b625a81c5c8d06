/// The sizes that ABI structs had when they were first released. Internal to the SDK.
#pragma once

#include <cstddef>
#include <cstdint>

#include <capstan/abi/cloud.h>
#include <capstan/abi/error.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/model.h>
#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// A struct that later minors may append to.
template <class T>
concept Growing = requires(const T& t) { t.struct_size; };

/// The size in ABI 1.0, which is the least value that struct_size may have. Structs that never grow
/// have their present size.
template <class T>
inline constexpr std::size_t first_size = sizeof(T);
template <>
inline constexpr std::size_t first_size<capstan_error> =
    offsetof(capstan_error, reserved) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<capstan_group> =
    offsetof(capstan_group, options) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<capstan_price> =
    offsetof(capstan_price, currency) + sizeof(capstan_price::currency);
template <>
inline constexpr std::size_t first_size<capstan_group_options> =
    offsetof(capstan_group_options, settling_ns) + sizeof(std::int64_t);
template <>
inline constexpr std::size_t first_size<capstan_template> =
    offsetof(capstan_template, fingerprint) + sizeof(capstan_str);
template <>
inline constexpr std::size_t first_size<capstan_requirement> =
    offsetof(capstan_requirement, values) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_node_selector_term> =
    offsetof(capstan_node_selector_term, fields) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_toleration> =
    offsetof(capstan_toleration, reserved) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<capstan_pod_equivalence_group> =
    offsetof(capstan_pod_equivalence_group, reserved) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<capstan_option> =
    offsetof(capstan_option, price_per_hour) + sizeof(double);
template <>
inline constexpr std::size_t first_size<capstan_machine> =
    offsetof(capstan_machine, addresses) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_cloud_view> =
    offsetof(capstan_cloud_view, target_lag_ms) + sizeof(std::int64_t);
template <>
inline constexpr std::size_t first_size<capstan_async_expander_request> =
    offsetof(capstan_async_expander_request, options) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<capstan_kept_option> =
    offsetof(capstan_kept_option, score) + sizeof(double);
template <>
inline constexpr std::size_t first_size<capstan_selection> =
    offsetof(capstan_selection, sentences) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_resize> =
    offsetof(capstan_resize, reserved) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<capstan_resized> =
    offsetof(capstan_resized, shortfall) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<capstan_removal> =
    offsetof(capstan_removal, reserved) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<capstan_removed> =
    offsetof(capstan_removed, failed) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_machine_offering> =
    offsetof(capstan_machine_offering, currency) + sizeof(capstan_machine_offering::currency);
template <>
inline constexpr std::size_t first_size<capstan_machine_type> =
    offsetof(capstan_machine_type, offerings) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_machine_types> =
    offsetof(capstan_machine_types, types) + sizeof(capstan_array);
template <>
inline constexpr std::size_t first_size<capstan_group_plan> =
    offsetof(capstan_group_plan, taints) + sizeof(capstan_array);

}  // namespace detail
CAPSTAN_NAMESPACE_END
