/// The figures of a run as text, for a terminal or a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulator/report.hpp"

namespace capstan::simulator {

/// A moment of virtual time as text, to the second: "1h30m", "149d3h".
std::string clock_text(Duration at);
/// The same moment as time of day: "2026-11-28T03:02:10Z"; empty if the run has no `start`.
std::string time_of_day_text(const std::optional<Time>& start, Duration at);
/// "1m20s"; with a start: "1m20s (2026-11-27T12:01:20Z)".
std::string moment_text(const std::optional<Time>& start, Duration at);

struct Figure {
    std::string name{}, text{};
    bool operator==(const Figure&) const = default;
};
/// "pods": "12 arrived, 12 bound, 0 completed", and so on.
std::vector<Figure> figures_of(const Summary& summary);
/// The same, and why the run ended, unless it is complete.
std::vector<Figure> figures_of(const Report& report);

}  // namespace capstan::simulator
