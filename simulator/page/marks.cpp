#include "simulator/page/marks.hpp"

#include <algorithm>

#include "simulator/run_figures.hpp"

namespace capstan::simulator::page {
namespace {

constexpr double lane_height = 14;
/// The width of a mark, and of each digit of the count next to it.
constexpr double mark_width = 13, digit_width = 6;
constexpr std::size_t hover_marks_max = 5;

const MarkLook* find_look(EventKind kind) {
    static const std::vector<MarkLook> looks = mark_looks();
    const auto found = std::ranges::find(looks, kind, &MarkLook::kind);
    return found == looks.end() ? nullptr : &*found;
}

std::string event_text(const Event& event, const std::optional<Time>& start) {
    return moment_text(start, event.at) + "  " + event.text +
           (event.because.empty() ? "" : "\n" + event.because);
}

std::string group_of_event(const Event& event, const History& history) {
    if (history.groups.contains(event.subject)) return event.subject;
    const auto node = history.group_of.find(event.subject);
    return node == history.group_of.end() ? "" : node->second;
}

/// Marks of one kind that are drawn as one.
struct MarkCluster {
    EventKind kind{};
    std::vector<const Mark*> marks{};
};

double width_of(const MarkCluster& cluster) {
    const std::size_t count = cluster.marks.size();
    const std::size_t digits = count == 1 ? 0 : std::to_string(count).size();
    return mark_width + digit_width * static_cast<double>(digits);
}

/// Clusters kind by kind, in the order of the legend.
std::vector<MarkCluster> cluster(const std::vector<Mark>& marks, const Frame& frame) {
    std::vector<MarkCluster> out;
    for (const MarkLook& look : mark_looks()) {
        for (const Mark& mark : marks) {
            if (mark.kind != look.kind) continue;
            const bool is_near =
                !out.empty() && out.back().kind == look.kind &&
                frame.x(mark.at) - frame.x(out.back().marks.front()->at) < width_of(out.back());
            if (!is_near) out.push_back({look.kind, {}});
            out.back().marks.push_back(&mark);
        }
    }
    return out;
}

std::string cluster_text(const MarkCluster& cluster) {
    std::string out;
    const std::size_t listed = std::min(cluster.marks.size(), hover_marks_max);
    for (std::size_t i = 0; i < listed; ++i) out += (i == 0 ? "" : "\n") + cluster.marks[i]->text;
    const std::size_t more = cluster.marks.size() - listed;
    return more == 0 ? out : out + "\nand " + std::to_string(more) + " more";
}

void draw(Markup& out, const MarkCluster& cluster, double x, double y) {
    const std::string& row = cluster.marks.front()->row;
    const std::string name(name_of(cluster.kind));
    const std::string link = "#" + row;
    if (row.empty()) {
        out.open("g", {{"class", "mark " + name}});
    } else {
        out.open("a", {{"class", "mark " + name}, {"href", link}});
    }
    out.leaf("title", cluster_text(cluster));
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
        {EventKind::increase, "increase", "<path d=\"M-5 4.5H5L0-5Z\"/>"},
        {EventKind::decrease, "decrease", "<path class=\"hollow\" d=\"M-5-4.5H5L0 5Z\"/>"},
        {EventKind::removal, "removal", "<path d=\"M-4.5-4.5H4.5V4.5H-4.5Z\"/>"},
        {EventKind::creation, "group created",
         "<path d=\"M-1.5-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z\"/>"},
        {EventKind::deletion, "group deleted", "<path class=\"hollow\" d=\"M-5-1.5H5V1.5H-5Z\"/>"},
        {EventKind::eviction, "eviction", "<circle class=\"hollow\" r=\"4\"/>"},
        {EventKind::failure, "failure",
         "<path d=\"M0-6 6 0 0 6-6 0Z\"/><path class=\"ink\" d=\"M0-3V.6M0 2.2V3.4\"/>"},
        {EventKind::unschedulable, "pods unschedulable",
         "<circle class=\"hollow\" r=\"4.8\"/><path class=\"line\" d=\"M-3.3 3.3 3.3-3.3\"/>"},
        {EventKind::fault, "fault", "<path class=\"line\" d=\"M1.5-6-2.5 .5H2.5L-1.5 6\"/>"},
        {EventKind::note, "note",
         "<path class=\"hollow\" d=\"M-4-4H4V4H-4Z\"/><path class=\"line\" d=\"M-2 0H2\"/>"},
        {EventKind::unmet, "expectation not met",
         "<path class=\"line\" d=\"M-4.5-4.5 4.5 4.5M-4.5 4.5 4.5-4.5\"/>"},
    };
}

bool is_decision(const Event& event) { return find_look(event.kind) != nullptr; }

MarkedEvents mark_events(const std::vector<const Event*>& shown, std::size_t rows,
                         const History& history, const std::optional<Time>& start) {
    MarkedEvents out;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const Event& event = *shown[i];
        if (!is_decision(event)) continue;
        const std::string group = group_of_event(event, history);
        std::vector<Mark>& marks = group.empty() ? out.of_all : out.of_group[group];
        marks.push_back({event.at, event.kind, event_text(event, start),
                         i < rows ? "e" + std::to_string(i + 1) : ""});
    }
    return out;
}

double height_of(const std::vector<Mark>& marks) {
    const std::vector<MarkLook> looks = mark_looks();
    const auto used = std::ranges::count_if(looks, [&](const MarkLook& look) {
        return std::ranges::find(marks, look.kind, &Mark::kind) != marks.end();
    });
    return lane_height * static_cast<double>(used);
}

void draw_marks(Markup& out, const std::vector<Mark>& marks, const Frame& frame, double y) {
    double middle = y + lane_height / 2;
    const MarkCluster* before = nullptr;
    const std::vector<MarkCluster> clusters = cluster(marks, frame);
    for (const MarkCluster& one : clusters) {
        if (before != nullptr && before->kind != one.kind) middle += lane_height;
        draw(out, one, frame.x(one.marks.front()->at), middle);
        before = &one;
    }
}

}  // namespace capstan::simulator::page
