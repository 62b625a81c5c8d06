/// What machines are called: provider ids of instances, and texts for those that are not made yet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::aws {

/// "aws:///eu-central-1a/i-0123456789abcdef0"
std::string machine_id_of(std::string_view zone, std::string_view instance_id);

/// "i-0123456789abcdef0" of a provider id; empty: it is none.
std::string_view instance_id_of(std::string_view machine_id) noexcept;

/// "i-placeholder-web-3": the machine number `ordinal` of the group, counted from 0, which is asked
/// for and not made. Numbers go on where the instances end, so the first to fail keeps its name.
std::string placeholder_of(std::string_view group, int ordinal);

/// The ordinal of a placeholder of that group; nothing: it is none.
std::optional<int> ordinal_of(std::string_view machine_id, std::string_view group) noexcept;

}  // namespace capstan::aws
