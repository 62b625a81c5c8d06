#include "simulator/program/progress_bar.hpp"

#include <algorithm>
#include <string>

#include <capstan/sentence.hpp>

#include "simulator/run_figures.hpp"

namespace capstan::simulator::program {
namespace {

constexpr std::size_t width = 20;

/// The share of the time that has passed if the end is known, else the share of the steps.
double share_of(const simulator::Progress& progress) {
    if (progress.end && *progress.end > Duration(0)) {
        return std::min(1.0, static_cast<double>(progress.at.count()) /
                                 static_cast<double>(progress.end->count()));
    }
    return progress.steps == 0
               ? 0
               : static_cast<double>(progress.step) / static_cast<double>(progress.steps);
}

}  // namespace

std::string bar_of(const simulator::Progress& progress) {
    const double share = share_of(progress);
    const auto full = static_cast<std::size_t>(share * width);
    std::string number = std::to_string(static_cast<int>(share * 100));
    number.insert(0, 3 - std::min<std::size_t>(number.size(), 3), ' ');
    return "[" + std::string(full, '#') + std::string(width - full, '-') + "] " + number +
           "%  at " + simulator::clock_text(progress.at) +
           (progress.end ? " of " + simulator::clock_text(*progress.end) : "") + ", " +
           counted(progress.nodes, "node") + ", " + counted(progress.pending, "pod") + " pending";
}

void ProgressBar::show(const simulator::Progress& progress) {
    if (!is_watched_) return;
    const RealTime now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    out_ << "\r\x1b[K" << bar_of(progress) << std::flush;
    is_drawn_ = true;
}

void ProgressBar::clear() {
    if (is_drawn_) out_ << "\r\x1b[K" << std::flush;
    is_drawn_ = false;
}

}  // namespace capstan::simulator::program
