/// How long the parts of a pass took.
#pragma once

#include <chrono>
#include <map>

#include <capstan/time.hpp>

#include "engine/parts.hpp"

namespace capstan::runtime {

/// In real time, for those parts that there were.
using PartTimes = std::map<engine::Part, Duration>;

/// A part that there are several of counts with all of them.
class PartClock final : public engine::PartListener {
public:
    void begin(engine::Part part) override;
    void end(engine::Part part) override;
    const PartTimes& times() const noexcept { return times_; }

private:
    PartTimes times_{};
    std::map<engine::Part, std::chrono::steady_clock::time_point> begun_{};
};

}  // namespace capstan::runtime
