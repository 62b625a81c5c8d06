#include "simulator/page/strip.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>

#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

#include "simulator/page/markup.hpp"
#include "simulator/run_figures.hpp"

namespace capstan::simulator::page {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<Duration, 21> steps{
    seconds(1), seconds(2),  seconds(5),  seconds(10), seconds(30), minutes(1), minutes(2),
    minutes(5), minutes(10), minutes(15), minutes(30), hours(1),    hours(2),   hours(3),
    hours(6),   hours(12),   days(1),     days(2),     days(7),     days(14),   days(28)};

Duration time_step(Duration span, int most) {
    const Duration least = span / (most - 1);
    const auto fits = std::ranges::find_if(steps, [&](Duration step) { return step >= least; });
    if (fits != steps.end()) return *fits;
    Duration step = steps.back();
    while (step < least) step *= 2;
    return step;
}

/// "11-28" at midnight, else "03:05", or "03:05:10" if the ticks are less than a minute apart.
std::string day_tick_text(Time at, Duration step) {
    const std::string text = format_rfc3339(at, 0);  // 2026-11-28T03:05:10Z
    if (at.time_since_epoch() % days(1) == Duration(0)) return text.substr(5, 5);
    return text.substr(11, step < minutes(1) ? 8 : 5);
}

}  // namespace

std::vector<TimeTick> time_ticks(Duration span, int most, const std::optional<Time>& start) {
    const Duration step = time_step(span, most);
    // From the last multiple of the step before the start until the start.
    const Duration since_multiple = start ? start->time_since_epoch() % step : Duration(0);
    std::vector<TimeTick> out;
    for (Duration at = since_multiple > Duration(0) ? step - since_multiple : Duration(0);
         at <= span; at += step)
        out.push_back({at, start ? day_tick_text(*start + at, step) : clock_text(at)});
    return out;
}

std::vector<std::int64_t> count_ticks(int largest, int most) {
    const std::int64_t wanted = std::max(largest, 1);
    for (std::int64_t power = 1;; power *= 10) {
        for (const std::int64_t step : {power, 2 * power, 5 * power}) {
            const std::int64_t count = (wanted + step - 1) / step;
            if (count > most) continue;
            std::vector<std::int64_t> out;
            for (std::int64_t i = 0; i <= count; ++i) out.push_back(i * step);
            return out;
        }
    }
}

namespace {

/// Writes the path of a step line, without steps that change nothing.
class Pen {
public:
    explicit Pen(const Frame& frame) : frame_(frame) {}

    void begin(const Point& at) {
        y_ = coordinate(frame_.y(at.value));
        out_ = "M" + coordinate(frame_.x(at.at)) + " " + y_;
    }
    /// Moves through all `values` at the same time and stays at the last.
    void step(Duration at, std::initializer_list<std::int64_t> values) {
        std::string moves, y = y_;
        for (const std::int64_t value : values) {
            const std::string next = coordinate(frame_.y(value));
            if (next == y) continue;
            y = next;
            moves += "V" + y;
        }
        if (moves.empty()) return;
        out_ += "H" + coordinate(frame_.x(at)) + moves;
        y_ = y;
    }
    std::string end() const { return out_ + "H" + coordinate(Frame::right); }

private:
    const Frame& frame_;
    std::string out_, y_;
};

}  // namespace

std::string line_path(const std::vector<Point>& points, const Frame& frame) {
    if (points.empty()) return {};
    Pen pen(frame);
    pen.begin(points.front());
    for (std::size_t i = 1; i < points.size();) {
        const Point& first = points[i];
        std::int64_t least = first.value, most = first.value, last = first.value;
        const int column = frame.column(first.at);
        for (; i < points.size() && frame.column(points[i].at) == column; ++i) {
            last = points[i].value;
            least = std::min(least, last);
            most = std::max(most, last);
        }
        pen.step(first.at, {least, most, last});
    }
    return pen.end();
}

std::string area_path(const std::vector<Point>& points, const Frame& frame) {
    if (points.empty()) return {};
    return line_path(points, frame) + "V" + coordinate(frame.bottom()) + "H" +
           coordinate(frame.x(points.front().at)) + "Z";
}

namespace {

constexpr double axis_height = 15;
constexpr int time_ticks_max = 12, count_ticks_max = 3;

template <class T>
std::vector<Point> points_of(const std::vector<Since<T>>& levels,
                             const std::function<std::int64_t(const T&)>& value_of) {
    std::vector<Point> out;
    for (const Since<T>& level : levels) out.push_back({level.at, value_of(level.value)});
    return out;
}

std::int64_t peak_of(const std::vector<Point>& points) {
    std::int64_t peak = 0;
    for (const Point& point : points) peak = std::max(peak, point.value);
    return peak;
}

int cells_for(const Strips& strips) { return std::clamp(strips.columns / 7, 20, cells_max); }

/// A drawing while it is written: areas, grid, lines, and last its cells and marks.
class Strip {
public:
    Strip(const Strips& strips, double height, std::int64_t largest, std::string_view label,
          const std::vector<Mark>& marks)
        : ticks_(count_ticks(static_cast<int>(largest), count_ticks_max)),
          frame_{strips.span, strips.columns, height, ticks_.back()},
          start_(strips.start),
          marks_(marks) {
        const std::string box =
            "0 0 " + coordinate(Frame::drawing_width) + " " + coordinate(axis_y() + axis_height);
        out_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                          {"viewBox", box},
                          {"role", "group"},
                          {"aria-label", label}});
    }
    const Frame& frame() const { return frame_; }
    Markup& out() { return out_; }

    void path(std::string_view name, const std::string& path) {
        if (!path.empty()) out_.empty("path", {{"class", name}, {"d", path}});
    }
    void grid() {
        for (const std::int64_t tick : ticks_) {
            const std::string y = coordinate(frame_.y(tick));
            out_.empty("path", {{"class", tick == 0 ? "zero" : "grid"},
                                {"d", "M" + coordinate(Frame::left) + " " + y + "H" +
                                          coordinate(Frame::right)}});
            out_.leaf("text", std::to_string(tick),
                      {{"class", "count"},
                       {"x", coordinate(Frame::left - 5)},
                       {"y", coordinate(frame_.y(tick) + 3.5)}});
        }
        for (const TimeTick& tick : time_ticks(frame_.span, time_ticks_max, start_)) time(tick);
    }
    std::string finish(const std::vector<Cell>& cells) {
        draw_cells(out_, cells, frame_);
        draw_marks(out_, marks_, frame_, frame_.bottom() + 3);
        return out_.take();
    }

private:
    double axis_y() const { return frame_.bottom() + 3 + height_of(marks_); }
    void time(const TimeTick& tick) {
        const std::string x = coordinate(frame_.x(tick.at));
        out_.empty("path", {{"class", "grid"},
                            {"d", "M" + x + " " + coordinate(Frame::top) + "V" +
                                      coordinate(axis_y() + 2)}});
        const bool is_last = frame_.x(tick.at) > Frame::right - 20;
        out_.leaf("text", tick.text,
                  {{"class", is_last ? "time last" : "time"},
                   {"x", is_last ? coordinate(Frame::right) : x},
                   {"y", coordinate(axis_y() + 12)}});
    }

    std::vector<std::int64_t> ticks_;
    Frame frame_;
    const std::optional<Time> start_;
    const std::vector<Mark>& marks_;
    Markup out_;
};

void draw_back_offs(Strip& strip, const std::vector<Band>& bands) {
    const Frame& frame = strip.frame();
    for (std::size_t i = 0; i < bands.size();) {
        // Back-offs that share a column are drawn as one, which bounds the size of the page.
        const Band& first = bands[i];
        Duration to = first.to;
        for (++i; i < bands.size() && frame.column(bands[i].from) <= frame.column(to); ++i)
            to = bands[i].to;
        const double x = frame.x(first.from);
        const std::string width = coordinate(std::max(1.0, frame.x(to) - x));
        const std::string height = coordinate(frame.height);
        strip.out().open("g", {{"class", "back-off"}});
        for (const char* name : {"ground", "hatch"}) {
            strip.out().empty("rect", {{"class", name},
                                       {"x", coordinate(x)},
                                       {"y", coordinate(Frame::top)},
                                       {"width", width},
                                       {"height", height}});
        }
        strip.out().close();
    }
}

/// Draws the maximum if it lies within the drawing. The strip's heading shows it in any case.
void draw_maximum(Strip& strip, const std::vector<Since<GroupLevel>>& levels) {
    const Frame& frame = strip.frame();
    const std::optional<int> last = levels.back().value.max;
    if (!last || *last > frame.peak) return;
    std::vector<Point> points;
    for (const Since<GroupLevel>& level : levels)
        points.push_back({level.at, level.value.max.value_or(*last)});
    strip.path("max", line_path(points, frame));
}

/// The largest value of the drawing: the maximum, unless that would make the rest too small.
std::int64_t largest_of(std::int64_t peak, const std::vector<Since<GroupLevel>>& levels) {
    const std::int64_t max = levels.empty() ? 0 : levels.back().value.max.value_or(0);
    return max <= 2 * std::max<std::int64_t>(peak, 2) ? std::max(peak, max) : peak;
}

}  // namespace

std::string draw_group(const std::string& id, const GroupHistory& group,
                       const std::vector<Mark>& marks, const Strips& strips) {
    const auto target =
        points_of<GroupLevel>(group.levels, [](const GroupLevel& l) { return l.target; });
    const auto ready =
        points_of<GroupLevel>(group.levels, [](const GroupLevel& l) { return l.ready; });
    const auto all = points_of<GroupLevel>(
        group.levels, [](const GroupLevel& l) { return l.ready + l.upcoming; });
    const std::int64_t peak = std::max(peak_of(target), peak_of(all));
    Strip strip(strips, 64, largest_of(peak, group.levels),
                "Group " + id + ": nodes and target over time", marks);
    strip.path("upcoming", area_path(all, strip.frame()));
    strip.path("ready", area_path(ready, strip.frame()));
    strip.grid();
    draw_back_offs(strip, group.back_offs);
    strip.path("target", line_path(target, strip.frame()));
    if (!group.levels.empty()) draw_maximum(strip, group.levels);
    return strip.finish(cells_of(group, strips.span, cells_for(strips), strips.start));
}

std::string draw_pending(const std::vector<Since<int>>& pending, const std::vector<Mark>& marks,
                         const Strips& strips) {
    const auto points = points_of<int>(pending, [](const int& n) { return n; });
    Strip strip(strips, 80, peak_of(points), "Pending pods over time", marks);
    strip.path("pending", area_path(points, strip.frame()));
    strip.grid();
    return strip.finish(cells_of(pending, strips.span, cells_for(strips), strips.start));
}

namespace {

constexpr std::size_t hover_bands_max = 3;

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
           " upcoming" + (other.most == 0 ? "" : ", " + other.text() + " other") +
           (max ? ", max " + std::to_string(*max) : "");
}

std::string levels_text(const std::vector<const int*>& pending) {
    Range range{*pending.front(), *pending.front()};
    for (const int* n : pending) range.include(*n);
    return range.text() + " pending";
}

/// The back-offs between `from` and `to`, a line each with its reason; empty: there are none.
std::string bands_text(const std::vector<Band>& bands, Duration from, Duration to,
                       const std::optional<Time>& start) {
    std::string out;
    std::size_t met = 0;
    auto band = std::ranges::lower_bound(bands, from, {}, &Band::to);
    for (; band != bands.end() && band->from < to; ++band) {
        const bool only_touches = band->to == from && band->from < from;
        if (only_touches || ++met > hover_bands_max) continue;
        out += "\nbacked off from " + moment_text(start, band->from) + " to " +
               moment_text(start, band->to) + ": " + band->because;
    }
    if (met > hover_bands_max)
        out +=
            "\nand " + counted(static_cast<std::int64_t>(met - hover_bands_max), "time") + " more";
    return out;
}

/// The levels that hold at some time from `from` to `to`. The first level must not begin after
/// `from`.
template <class T>
std::vector<const T*> levels_within(const std::vector<Since<T>>& levels, Duration from,
                                    Duration to) {
    std::vector<const T*> out;
    auto level = std::prev(std::ranges::upper_bound(levels, from, {}, &Since<T>::at));
    do {
        out.push_back(&level->value);
        ++level;
    } while (level != levels.end() && level->at < to);
    return out;
}

/// The times at which a level or a back-off begins or ends, from the first level on; `span` is the
/// last of them.
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
                             Duration span, int most, const std::optional<Time>& start) {
    std::vector<Cell> out;
    if (levels.empty()) return out;
    const std::vector<Duration> moments = level_moments(levels, bands, span);
    for (std::size_t i = 0; i + 1 < moments.size();) {
        const Duration from = moments[i];
        for (++i; i + 1 < moments.size() && moments[i] - from < span / most;) ++i;
        const Duration to = moments[i];
        out.push_back({from, to,
                       moment_text(start, from) + " to " + moment_text(start, to) + "\n" +
                           levels_text(levels_within(levels, from, to)) +
                           bands_text(bands, from, to, start)});
    }
    return out;
}

}  // namespace

std::vector<Cell> cells_of(const GroupHistory& group, Duration span, int most,
                           const std::optional<Time>& start) {
    return make_cells(group.levels, group.back_offs, span, most, start);
}

std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span, int most,
                           const std::optional<Time>& start) {
    return make_cells(pending, {}, span, most, start);
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

}  // namespace capstan::simulator::page
