/// When a second stop signal is the first once more.
#pragma once

#include <chrono>

#include <capstan/time.hpp>

namespace capstan::runtime::guard {

/// A supervisor that signals a process and its group at once has asked once.
inline constexpr Duration same_signal_within = std::chrono::seconds(1);

}  // namespace capstan::runtime::guard
