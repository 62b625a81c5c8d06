/// What one instance keeps, as text: in its file, and for the hosts that lead after this one.
///
///     capstan-state 1
///     7 host-1_06e1
///     5 8 31
///     machines{"start":1795255200000, ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/services/state_store.hpp"

namespace capstan::runtime::services {

/// Some more than the values themselves may have, for the numbers beside them.
inline constexpr std::size_t state_text_limit = 16 * StateStore::size_limit;

/// The line above, the last revision and the store's name, where it has one, and for each value a
/// line of three numbers (its revision, the lengths) and the bytes of key and value.
std::string state_text(const InstanceState& state);
/// Nothing: it is none.
std::optional<InstanceState> find_state(std::string_view text);

/// The same where only UTF-8 may stand: other bytes as base64.
std::string printable_state(const InstanceState& state);
std::optional<InstanceState> find_printable_state(std::string_view text);

}  // namespace capstan::runtime::services
