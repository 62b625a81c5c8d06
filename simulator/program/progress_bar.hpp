/// The progress of a long run, on one terminal line that is redrawn.
#pragma once

#include <chrono>
#include <ostream>

#include "simulator/run.hpp"

namespace capstan::simulator::program {

class ProgressBar {
public:
    /// `is_watched`: `out` is a terminal; otherwise nothing is drawn.
    ProgressBar(std::ostream& out, bool is_watched) : out_(out), is_watched_(is_watched) {}

    /// Redraws at most ten times a second, and not in the first half second, since a run that short
    /// needs no bar.
    void show(const simulator::Progress& progress);
    /// Erases the line, so that something else can be printed.
    void clear();

private:
    using RealTime = std::chrono::steady_clock::time_point;

    std::ostream& out_;
    bool is_watched_;
    bool is_drawn_ = false;
    RealTime next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

/// "[#####---------------]  25%  at 6h of 24h, 12 nodes, 3 pods pending"
std::string bar_of(const simulator::Progress& progress);

}  // namespace capstan::simulator::program
