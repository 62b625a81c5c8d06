/// How far a long run is, on one line that is drawn over.
#pragma once

#include <chrono>
#include <ostream>

#include "simulation/run.hpp"

namespace capstan::commands {

class ProgressBar {
public:
    /// Draws nothing where the output is no terminal.
    ProgressBar(std::ostream& out, bool is_watched) : out_(out), is_watched_(is_watched) {}

    /// At most ten times a second, and not in the first half second: what is over by then needs no
    /// bar.
    void show(const simulation::Progress& progress);
    /// Takes the line away, so that something else can be printed.
    void clear();

private:
    using RealTime = std::chrono::steady_clock::time_point;

    std::ostream& out_;
    bool is_watched_;
    bool is_drawn_ = false;
    RealTime next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

/// "[#####---------------]  25%  at 6h of 24h, 12 nodes, 3 pods wait"
std::string bar_of(const simulation::Progress& progress);

}  // namespace capstan::commands
