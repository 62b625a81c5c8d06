#include "simulation/page/curve.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "simulation/page/markup.hpp"

namespace capstan::simulation {
namespace {

/// Writes the steps, and none that leads nowhere.
class Pen {
public:
    explicit Pen(const Frame& frame) : frame_(frame) {}

    void begin(const Point& at) {
        y_ = coordinate(frame_.y(at.value));
        out_ = "M" + coordinate(frame_.x(at.at)) + " " + y_;
    }
    /// At one moment through all of them to the last.
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

}  // namespace capstan::simulation
