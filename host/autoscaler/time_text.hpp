/// Times as they are written in sentences.
#pragma once

#include <chrono>
#include <string>

#include <capstan/time.hpp>

#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler {

/// "2026-11-24T05:00:00Z": `time` without the fraction of its second.
inline std::string whole_second_text(Time time) {
    return kubernetes::find_timestamp_text(std::chrono::floor<std::chrono::seconds>(time))
        .value_or("an invalid time");
}

}  // namespace capstan::autoscaler
