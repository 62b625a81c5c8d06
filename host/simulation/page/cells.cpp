#include "simulation/page/cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <capstan/sentence.hpp>

#include "simulation/run_figures.hpp"

namespace capstan::simulation::page {
namespace {

constexpr std::size_t bands_told_max = 3;

struct Range {
    std::int64_t least = 0, most = 0;
    void include(std::int64_t value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    std::string text() const {
        return least == most ? std::to_string(least)
                             : std::to_string(least) + " to " + std::to_string(most);
    }
};

std::string levels_text(const std::vector<const GroupLevel*>& levels) {
    const GroupLevel& first = *levels.front();
    Range target{first.target, first.target}, ready{first.ready, first.ready},
        upcoming{first.upcoming, first.upcoming}, other{first.other, first.other};
    for (const GroupLevel* level : levels) {
        target.include(level->target);
        ready.include(level->ready);
        upcoming.include(level->upcoming);
        other.include(level->other);
    }
    const std::optional<int> max = levels.back()->max;
    return "target " + target.text() + ", " + ready.text() + " ready, " + upcoming.text() +
           " upcoming" + (other.most == 0 ? "" : ", " + other.text() + " neither") +
           (max ? ", max " + std::to_string(*max) : "");
}

std::string levels_text(const std::vector<const int*>& pending) {
    Range range{*pending.front(), *pending.front()};
    for (const int* n : pending) range.include(*n);
    return range.text() + " without a node";
}

/// The bands between `from` and `to`, a line each and its reason; empty: none.
std::string levels_text(const std::vector<Band>& bands, Duration from, Duration to) {
    std::string out;
    std::size_t met = 0;
    auto band = std::ranges::lower_bound(bands, from, {}, &Band::to);
    for (; band != bands.end() && band->from < to; ++band) {
        const bool only_touches = band->to == from && band->from < from;
        if (only_touches || ++met > bands_told_max) continue;
        out += "\nbacked off from " + clock_text(band->from) + " to " + clock_text(band->to) +
               ": " + band->because;
    }
    if (met > bands_told_max)
        out +=
            "\nand " + counted(static_cast<std::int64_t>(met - bands_told_max), "time") + " more";
    return out;
}

/// What is in force from `from` to `to`; there is something at `from`.
template <class T>
std::vector<const T*> held(const std::vector<Since<T>>& levels, Duration from, Duration to) {
    std::vector<const T*> out;
    auto level = std::prev(std::ranges::upper_bound(levels, from, {}, &Since<T>::at));
    do {
        out.push_back(&level->value);
        ++level;
    } while (level != levels.end() && level->at < to);
    return out;
}

/// When something begins or ends, from the first level on; the end is the last.
template <class T>
std::vector<Duration> level_moments(const std::vector<Since<T>>& levels,
                                    const std::vector<Band>& bands, Duration span) {
    std::vector<Duration> out{span};
    for (const Since<T>& level : levels) out.push_back(level.at);
    for (const Band& band : bands) {
        out.push_back(band.from);
        out.push_back(band.to);
    }
    std::erase_if(out, [&](Duration at) { return at < levels.front().at || at > span; });
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

template <class T>
std::vector<Cell> make_cells(const std::vector<Since<T>>& levels, const std::vector<Band>& bands,
                             Duration span, int most) {
    std::vector<Cell> out;
    if (levels.empty()) return out;
    const std::vector<Duration> moments = level_moments(levels, bands, span);
    for (std::size_t i = 0; i + 1 < moments.size();) {
        const Duration from = moments[i];
        for (++i; i + 1 < moments.size() && moments[i] - from < span / most;) ++i;
        const Duration to = moments[i];
        out.push_back({from, to,
                       clock_text(from) + " to " + clock_text(to) + "\n" +
                           levels_text(held(levels, from, to)) + levels_text(bands, from, to)});
    }
    return out;
}

}  // namespace

std::vector<Cell> cells_of(const GroupHistory& group, Duration span, int most) {
    return make_cells(group.levels, group.back_offs, span, most);
}

std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span, int most) {
    return make_cells(pending, {}, span, most);
}

void draw_cells(Markup& out, const std::vector<Cell>& cells, const Frame& frame) {
    for (const Cell& cell : cells) {
        const double x = frame.x(cell.from);
        out.open("rect", {{"class", "cell"},
                          {"x", coordinate(x)},
                          {"y", coordinate(Frame::top)},
                          {"width", coordinate(std::max(1.0, frame.x(cell.to) - x))},
                          {"height", coordinate(frame.height)}});
        out.leaf("title", cell.text).close();
    }
}

}  // namespace capstan::simulation::page
