#include "simulation/page/marks.hpp"

#include <algorithm>
#include <array>

#include "simulation/figures.hpp"

namespace capstan::simulation {
namespace {

constexpr double lane_height = 14;
/// Marks of one kind nearer than this are drawn as one.
constexpr double apart = 15;
constexpr std::size_t told_max = 8;

const MarkLook* find_look(EventKind kind) {
    static const std::vector<MarkLook> looks = mark_looks();
    const auto found = std::ranges::find(looks, kind, &MarkLook::kind);
    return found == looks.end() ? nullptr : &*found;
}

std::string text_of(const Event& event) {
    return clock_text(event.at) + "  " + event.text +
           (event.because.empty() ? "" : "\n" + event.because);
}

std::string group_of(const Event& event, const History& history) {
    if (history.groups.contains(event.subject)) return event.subject;
    const auto node = history.group_of.find(event.subject);
    return node == history.group_of.end() ? "" : node->second;
}

/// Marks that are drawn as one.
struct Cluster {
    EventKind kind{};
    std::vector<const Mark*> marks{};
};

std::vector<Cluster> cluster(const std::vector<Mark>& marks, const Frame& frame) {
    std::vector<Cluster> out;
    for (const MarkLook& look : mark_looks()) {
        for (const Mark& mark : marks) {
            if (mark.kind != look.kind) continue;
            const bool is_near = !out.empty() && out.back().kind == look.kind &&
                                 frame.x(mark.at) - frame.x(out.back().marks.front()->at) < apart;
            if (!is_near) out.push_back({look.kind, {}});
            out.back().marks.push_back(&mark);
        }
    }
    return out;
}

std::string text_of(const Cluster& cluster) {
    std::string out;
    const std::size_t told = std::min(cluster.marks.size(), told_max);
    for (std::size_t i = 0; i < told; ++i) out += (i == 0 ? "" : "\n") + cluster.marks[i]->text;
    const std::size_t more = cluster.marks.size() - told;
    return more == 0 ? out : out + "\nand " + std::to_string(more) + " more";
}

std::array<bool, lanes> used_lanes(const std::vector<Mark>& marks) {
    std::array<bool, lanes> out{};
    for (const Mark& mark : marks) {
        if (const MarkLook* look = find_look(mark.kind))
            out[static_cast<std::size_t>(look->lane)] = true;
    }
    return out;
}

void draw(Markup& out, const Cluster& cluster, double x, double y) {
    const std::string& row = cluster.marks.front()->row;
    const std::string name(name_of(cluster.kind));
    const std::string link = "#" + row;
    if (row.empty()) {
        out.open("g", {{"class", "mark " + name}});
    } else {
        out.open("a", {{"class", "mark " + name}, {"href", link}});
    }
    out.leaf("title", text_of(cluster));
    out.empty("use", {{"href", "#mark-" + name}, {"x", coordinate(x)}, {"y", coordinate(y)}});
    if (cluster.marks.size() > 1) {
        out.leaf("text", std::to_string(cluster.marks.size()),
                 {{"x", coordinate(x + 6)}, {"y", coordinate(y + 3.5)}});
    }
    out.close();
}

}  // namespace

std::vector<MarkLook> mark_looks() {
    return {
        {EventKind::increase, "increase", 0, "<path d=\"M-5 4.5H5L0-5Z\"/>"},
        {EventKind::decrease, "decrease", 0, "<path class=\"hollow\" d=\"M-5-4.5H5L0 5Z\"/>"},
        {EventKind::removal, "removal", 1, "<path d=\"M-4.5-4.5H4.5V4.5H-4.5Z\"/>"},
        {EventKind::eviction, "eviction", 1, "<circle class=\"hollow\" r=\"4\"/>"},
        {EventKind::failure, "refused or failed", 2,
         "<path d=\"M0-6 6 0 0 6-6 0Z\"/><path class=\"ink\" d=\"M0-3V.6M0 2.2V3.4\"/>"},
        {EventKind::unhelped, "pods not helped", 2,
         "<circle class=\"hollow\" r=\"4.8\"/><path class=\"line\" d=\"M-3.3 3.3 3.3-3.3\"/>"},
        {EventKind::fault, "fault", 2, "<path class=\"line\" d=\"M1.5-6-2.5 .5H2.5L-1.5 6\"/>"},
        {EventKind::note, "note", 2,
         "<path class=\"hollow\" d=\"M-4-4H4V4H-4Z\"/><path class=\"line\" d=\"M-2 0H2\"/>"},
        {EventKind::unmet, "expectation not met", 2,
         "<path class=\"line\" d=\"M-4.5-4.5 4.5 4.5M-4.5 4.5 4.5-4.5\"/>"},
    };
}

bool is_decision(const Event& event) { return find_look(event.kind) != nullptr; }

MarkedEvents mark_events(const std::vector<const Event*>& shown, std::size_t rows,
                         const History& history) {
    MarkedEvents out;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const Event& event = *shown[i];
        if (!is_decision(event)) continue;
        const std::string group = group_of(event, history);
        std::vector<Mark>& marks = group.empty() ? out.of_all : out.of_group[group];
        marks.push_back(
            {event.at, event.kind, text_of(event), i < rows ? "e" + std::to_string(i + 1) : ""});
    }
    return out;
}

double height_of(const std::vector<Mark>& marks) {
    const std::array<bool, lanes> used = used_lanes(marks);
    return lane_height * static_cast<double>(std::ranges::count(used, true));
}

void draw_marks(Markup& out, const std::vector<Mark>& marks, const Frame& frame, double y) {
    std::array<double, lanes> middle{};
    const std::array<bool, lanes> used = used_lanes(marks);
    for (std::size_t lane = 0; lane < used.size(); ++lane) {
        middle[lane] = y + lane_height / 2;
        if (used[lane]) y += lane_height;
    }
    for (const Cluster& one : cluster(marks, frame)) {
        draw(out, one, frame.x(one.marks.front()->at),
             middle[static_cast<std::size_t>(find_look(one.kind)->lane)]);
    }
}

}  // namespace capstan::simulation
