#include "simulation/page/cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simulation/figures.hpp"

namespace capstan::simulation {
namespace {

constexpr int cells_max = 150;

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

std::string text_of(const std::vector<const GroupLevel*>& levels) {
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

std::string text_of(const std::vector<const int*>& pending) {
    Range range{*pending.front(), *pending.front()};
    for (const int* n : pending) range.include(*n);
    return range.text() + " without a node";
}

template <class T>
std::vector<Cell> make_cells(const std::vector<Since<T>>& levels, Duration span) {
    std::vector<Cell> out;
    for (std::size_t i = 0; i < levels.size();) {
        const Duration from = levels[i].at;
        std::vector<const T*> held;
        Duration to = from;
        while (i < levels.size() && (held.empty() || to - from < span / cells_max)) {
            held.push_back(&levels[i].value);
            ++i;
            to = i < levels.size() ? levels[i].at : span;
        }
        out.push_back(
            {from, to, clock_text(from) + " to " + clock_text(to) + "\n" + text_of(held)});
    }
    return out;
}

}  // namespace

std::vector<Cell> cells_of(const std::vector<Since<GroupLevel>>& levels, Duration span) {
    return make_cells(levels, span);
}

std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span) {
    return make_cells(pending, span);
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

}  // namespace capstan::simulation
