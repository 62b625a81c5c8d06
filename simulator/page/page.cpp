#include "simulator/page/page.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/page/marks.hpp"
#include "simulator/page/markup.hpp"
#include "simulator/page/strip.hpp"
#include "simulator/page/style.hpp"
#include "simulator/run_figures.hpp"

namespace capstan::simulator::page {
namespace {

/// A run with more events than `events_max` shows only its decisions and back-offs, and the table
/// has at most `rows_max` rows.
constexpr std::size_t events_max = 400, rows_max = 2000;
/// If there are more groups than this, those that stayed empty are named and not drawn.
constexpr std::size_t drawn_idle_max = 8;

std::vector<const Event*> shown_of(const std::vector<Event>& events) {
    std::vector<const Event*> out;
    for (const Event& event : events) {
        const bool is_important = is_decision(event) || event.kind == EventKind::backoff;
        if (events.size() <= events_max || is_important) out.push_back(&event);
    }
    return out;
}

/// Columns of each strip: the more groups, the fewer and wider, so that the page stays small.
int columns_for(std::size_t groups) {
    return static_cast<int>(std::clamp<std::size_t>(20'000 / std::max<std::size_t>(groups, 1), 100,
                                                    static_cast<std::size_t>(Frame::width)));
}

/// "target 2 -> 5, peak 7; max 10; backed off 2 times".
std::string facts_of(const GroupHistory& group) {
    if (group.levels.empty()) return "";
    const GroupLevel &first = group.levels.front().value, &last = group.levels.back().value;
    int peak = 0;
    for (const Since<GroupLevel>& level : group.levels) peak = std::max(peak, level.value.target);
    std::string out = "target " + std::to_string(first.target) + " → " +
                      std::to_string(last.target) + ", peak " + std::to_string(peak);
    if (last.max) out += "; max " + std::to_string(*last.max);
    if (!group.back_offs.empty())
        out += "; backed off " + counted(static_cast<std::int64_t>(group.back_offs.size()), "time");
    return out;
}

/// Whether the group never had a node and was never asked for one.
bool is_idle(const GroupHistory& group, const std::vector<Mark>& marks) {
    const auto is_empty = [](const Since<GroupLevel>& level) {
        const GroupLevel& l = level.value;
        return l.target == 0 && l.ready == 0 && l.upcoming == 0 && l.other == 0;
    };
    return marks.empty() && group.back_offs.empty() && std::ranges::all_of(group.levels, is_empty);
}

class Page {
public:
    Page(const Report& report, const std::string& source, const History& history)
        : report_(report),
          source_(source),
          history_(history),
          shown_(shown_of(report.events)),
          marks_(mark_events(shown_, rows_max, history, report.start)),
          strips_{std::max({history.end, report.summary.span, Duration(std::chrono::seconds(1))}),
                  columns_for(history.groups.size()), report.start} {}

    std::string make() {
        out_.raw("<!DOCTYPE html>\n");
        out_.open("html", {{"lang", "en"}, {"xmlns", "http://www.w3.org/1999/xhtml"}});
        head();
        out_.open("body");
        draw_shared_shapes(out_);
        front();
        strips();
        table();
        return out_.take();
    }

private:
    std::string title() const { return report_.title.empty() ? source_ : report_.title; }

    void head() {
        out_.open("head").empty("meta", {{"charset", "utf-8"}});
        out_.empty("meta",
                   {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
        out_.leaf("title", title()).open("style").raw(style_sheet()).close().close();
    }

    void front() {
        out_.leaf("h1", title());
        out_.leaf("p", source_ + ", seed " + std::to_string(report_.seed), {{"class", "source"}});
        write_verdict(out_, report_);
        write_figures(out_, report_);
        write_still_pending(out_, report_.summary.still_pending);
    }

    void strips() {
        const std::string start = time_of_day_text(report_.start, Duration(0));
        out_.leaf("h2", start.empty() ? "Over time" : "Over time, from " + start);
        write_legend(out_);
        const int waits = history_.pending.empty() ? 0 : history_.pending.back().value;
        strip("Pending pods", waits == 0 ? "" : counted(waits, "pod") + " at the end",
              draw_pending(history_.pending, marks_.of_all, strips_));
        if (history_.groups.empty()) out_.leaf("p", "No node groups.");
        std::vector<std::string> idle;
        for (const auto& [id, group] : history_.groups) {
            const std::vector<Mark>& marks = marks_.of_group[id];
            if (history_.groups.size() > drawn_idle_max && is_idle(group, marks)) {
                idle.push_back(id);
            } else {
                strip(id, facts_of(group), draw_group(id, group, marks, strips_));
            }
        }
        if (idle.empty()) return;
        out_.leaf("h3", "Groups without nodes and requests");
        out_.leaf("p", listed(idle, std::identity{}, idle.size()), {{"class", "idle"}});
    }

    void strip(const std::string& name, const std::string& facts, const std::string& drawing) {
        out_.open("section", {{"class", "strip"}});
        out_.open("header").leaf("h3", name).leaf("p", facts).close();
        out_.raw(drawing).close();
    }

    void table() {
        out_.leaf("h2", shown_.size() == report_.events.size() ? "Events" : "Decisions");
        const std::size_t rows = std::min(shown_.size(), rows_max);
        write_events(out_, {shown_.data(), rows}, report_.start);
        const std::size_t more = shown_.size() - rows;
        if (more == 0) return;
        out_.leaf("p", "and " + std::to_string(more) +
                           " more; `capstan simulate -o json` lists all events");
    }

    const Report& report_;
    const std::string& source_;
    const History& history_;
    std::vector<const Event*> shown_;
    MarkedEvents marks_;
    Strips strips_;
    Markup out_;
};

}  // namespace

std::string make_page(const Report& report, const std::string& source, const History& history) {
    return Page(report, source, history).make();
}

namespace {

/// A figure whose text is longer than this, in bytes, has a row of its own.
constexpr std::size_t long_figure = 80;

void begin_table(Markup& out, std::initializer_list<std::string_view> columns) {
    out.open("table").open("thead").open("tr");
    for (const std::string_view column : columns) out.leaf("th", column, {{"scope", "col"}});
    out.close().close().open("tbody");
}

void end_table(Markup& out) { out.close().close(); }

/// An entry of the legend; its symbol is 30 units wide and 16 high.
void entry(Markup& out, std::string_view drawing, std::string_view text) {
    out.open("li").open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                {"viewBox", "0 0 30 16"},
                                {"aria-hidden", "true"}});
    out.raw(drawing).close().text(text).close();
}

void draw_mark(Markup& out, std::string_view kind, std::string_view x) {
    const std::string name(kind);
    out.open("g", {{"class", "mark " + name}});
    out.empty("use", {{"href", "#mark-" + name}, {"x", x}, {"y", "8"}}).close();
}

}  // namespace

void draw_shared_shapes(Markup& out) {
    out.open(
        "svg",
        {{"xmlns", "http://www.w3.org/2000/svg"}, {"class", "hidden"}, {"aria-hidden", "true"}});
    out.open("defs").raw(patterns());
    for (const MarkLook& look : mark_looks()) {
        out.open("g", {{"id", "mark-" + std::string(name_of(look.kind))}});
        out.raw(look.shape).close();
    }
    out.close().close();
}

void write_verdict(Markup& out, const Report& report) {
    if (report.expected == 0) return;
    const auto met = report.expected - static_cast<std::int64_t>(report.unmet.size());
    out.open("div", {{"class", report.unmet.empty() ? "verdict" : "verdict unmet"}});
    out.leaf("p", std::to_string(met) + " of " + counted(report.expected, "expectation") + " met");
    for (const Unmet& unmet : report.unmet) out.leaf("pre", unmet.place + ": " + unmet.text);
    out.close();
}

void write_figures(Markup& out, const Report& report) {
    out.open("dl", {{"class", "figures"}});
    for (const Figure& figure : figures_of(report)) {
        out.open("div", {{"class", figure.text.size() > long_figure ? "long" : "figure"}});
        out.leaf("dt", figure.name).leaf("dd", figure.text).close();
    }
    out.close();
}

void write_still_pending(Markup& out, const std::vector<StillPending>& lines) {
    if (lines.empty()) return;
    out.leaf("h2", "Pending at the end");
    begin_table(out, {"Pods", "Count", "Longest", "Reason"});
    for (const StillPending& line : lines) {
        out.open("tr").leaf("td", line.pods).leaf("td", std::to_string(line.count));
        out.leaf("td", clock_text(line.longest), {{"class", "when"}});
        out.leaf("td", line.because).close();
    }
    end_table(out);
}

void write_legend(Markup& out) {
    out.open("ul", {{"class", "legend"}, {"aria-label", "Legend"}});
    entry(out, R"(<path class="target" d="M0 11H13V4H30"/>)", "target");
    entry(out, R"(<path class="ready" d="M1 2H29V15H1Z"/>)", "ready nodes");
    entry(out, R"(<path class="upcoming" d="M1 2H29V15H1Z"/>)", "upcoming nodes");
    entry(out, R"(<path class="max" d="M0 8H30"/>)", "maximum");
    entry(out,
          R"(<g class="back-off"><path class="ground" d="M1 2H29V15H1Z"/>)"
          R"(<path class="hatch" d="M1 2H29V15H1Z"/></g>)",
          "backed off");
    entry(out, R"(<path class="pending" d="M1 15V7H12V2H29V15Z"/>)", "pending pods");
    for (const MarkLook& look : mark_looks()) {
        const std::string name(name_of(look.kind));
        entry(out,
              "<g class=\"mark " + name + "\"><use href=\"#mark-" + name +
                  "\" x=\"15\" y=\"8\"/></g>",
              look.label);
    }
    out.close();
}

void write_events(Markup& out, std::span<const Event* const> events,
                  const std::optional<Time>& start) {
    if (events.empty()) {
        out.leaf("p", "No events.");
        return;
    }
    if (start) {
        begin_table(out, {"Time", "UTC", "", "Event", "Reason"});
    } else {
        begin_table(out, {"Time", "", "Event", "Reason"});
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = *events[i];
        out.open("tr", {{"id", "e" + std::to_string(i + 1)}});
        out.leaf("td", clock_text(event.at), {{"class", "when"}});
        if (start) out.leaf("td", time_of_day_text(start, event.at), {{"class", "when"}});
        out.open("td", {{"class", "kind"}});
        if (is_decision(event)) {
            out.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                             {"viewBox", "0 0 16 16"},
                             {"role", "img"},
                             {"aria-label", name_of(event.kind)}});
            draw_mark(out, name_of(event.kind), "8");
            out.close();
        }
        out.close().leaf("td", event.text).leaf("td", event.because).close();
    }
    end_table(out);
}

}  // namespace capstan::simulator::page
