#include "simulation/page/strip.hpp"

#include <algorithm>
#include <functional>

#include <capstan/sentence.hpp>

#include "simulation/page/axis.hpp"
#include "simulation/page/cells.hpp"
#include "simulation/page/curve.hpp"

namespace capstan::simulation {
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

/// A drawing under way: its axes, then what is in it, then what it says on hover.
class Strip {
public:
    Strip(const Strips& strips, double height, std::int64_t largest, std::string_view label,
          const std::vector<Mark>& marks)
        : ticks_(count_ticks(static_cast<int>(largest), count_ticks_max)),
          frame_{strips.span, strips.columns, height, ticks_.back()},
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
        for (const TimeTick& tick : time_ticks(frame_.span, time_ticks_max)) time(tick);
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
    const std::vector<Mark>& marks_;
    Markup out_;
};

void draw_back_offs(Strip& strip, const std::vector<Band>& bands) {
    const Frame& frame = strip.frame();
    for (std::size_t i = 0; i < bands.size();) {
        // Those in one column are one band, or a month of them would be a page of its own.
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

/// Where it can be seen; the strip's heading has it in any case.
void draw_maximum(Strip& strip, const std::vector<Since<GroupLevel>>& levels) {
    const Frame& frame = strip.frame();
    const std::optional<int> last = levels.back().value.max;
    if (!last || *last > frame.peak) return;
    std::vector<Point> points;
    for (const Since<GroupLevel>& level : levels)
        points.push_back({level.at, level.value.max.value_or(*last)});
    strip.path("max", line_path(points, frame));
}

/// The maximum belongs into the picture unless it would make the rest small.
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
    return strip.finish(cells_of(group, strips.span, cells_for(strips)));
}

std::string draw_pending(const std::vector<Since<int>>& pending, const std::vector<Mark>& marks,
                         const Strips& strips) {
    const auto points = points_of<int>(pending, [](const int& n) { return n; });
    Strip strip(strips, 80, peak_of(points), "Pods without a node over time", marks);
    strip.path("pending", area_path(points, strip.frame()));
    strip.grid();
    return strip.finish(cells_of(pending, strips.span, cells_for(strips)));
}

}  // namespace capstan::simulation
