#pragma once

#include <capstan/time.hpp>

namespace capstan::simulation {

/// When the stories of these tests begin.
inline const Time start = time_from_unix_ns(0);

}  // namespace capstan::simulation
