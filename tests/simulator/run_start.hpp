#pragma once

#include <capstan/time.hpp>

namespace capstan::simulator {

/// Start time of the simulated runs in these tests.
inline const Time start = time_from_unix_ns(0);

}  // namespace capstan::simulator
