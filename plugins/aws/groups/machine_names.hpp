/// Ids of machines: provider ids of instances, and placeholders of instances that AWS has not
/// launched yet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::aws {

/// "aws:///eu-central-1a/i-0123456789abcdef0"
std::string machine_id_of(std::string_view zone, std::string_view instance_id);

/// "i-0123456789abcdef0" of a provider id; empty if `machine_id` is not a provider id.
std::string_view instance_id_of(std::string_view machine_id) noexcept;

/// "i-placeholder-web-3": a requested instance that is not listed yet. `ordinal` counts all members
/// of the group from 0, the listed instances first.
std::string placeholder_of(std::string_view group, int ordinal);

/// The ordinal of a placeholder of that group; absent if `machine_id` is not one.
std::optional<int> ordinal_of(std::string_view machine_id, std::string_view group) noexcept;

}  // namespace capstan::aws
