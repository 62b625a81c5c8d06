/// How many pods are how far.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

struct PodCounts {
    std::int64_t all = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;                ///< ready for as long as is wanted
    std::optional<Duration> next_available{};  ///< until one more may be; nothing: none is about to
};

PodCounts count_pods(const std::vector<ApiObject>& pods, Duration min_ready, Time now);

}  // namespace capstan::simulation
