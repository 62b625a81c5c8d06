#include "simulation/page/page_parts.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>

#include <capstan/sentence.hpp>

#include "simulation/page/marks.hpp"
#include "simulation/page/style.hpp"
#include "simulation/run_figures.hpp"

namespace capstan::simulation::page {
namespace {

/// A figure with more bytes has a row of its own.
constexpr std::size_t long_figure = 80;

void begin_table(Markup& out, std::initializer_list<std::string_view> columns) {
    out.open("table").open("thead").open("tr");
    for (const std::string_view column : columns) out.leaf("th", column, {{"scope", "col"}});
    out.close().close().open("tbody");
}

void end_table(Markup& out) { out.close().close(); }

/// A symbol of the legend, 30 by 16.
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

void write_figures(Markup& out, const Summary& summary) {
    out.open("dl", {{"class", "figures"}});
    for (const Figure& figure : figures_of(summary)) {
        out.open("div", {{"class", figure.text.size() > long_figure ? "long" : "figure"}});
        out.leaf("dt", figure.name).leaf("dd", figure.text).close();
    }
    out.close();
}

void write_still_pending(Markup& out, const std::vector<StillPending>& lines) {
    if (lines.empty()) return;
    out.leaf("h2", "Without a node at the end");
    begin_table(out, {"Pods", "How many", "For up to", "Because"});
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
    entry(out, R"(<path class="pending" d="M1 15V7H12V2H29V15Z"/>)", "pods without a node");
    for (const MarkLook& look : mark_looks()) {
        const std::string name(name_of(look.kind));
        entry(out,
              "<g class=\"mark " + name + "\"><use href=\"#mark-" + name +
                  "\" x=\"15\" y=\"8\"/></g>",
              look.label);
    }
    out.close();
}

void write_events(Markup& out, std::span<const Event* const> events) {
    if (events.empty()) {
        out.leaf("p", "Nothing happened.");
        return;
    }
    begin_table(out, {"Time", "", "What", "Because"});
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = *events[i];
        out.open("tr", {{"id", "e" + std::to_string(i + 1)}});
        out.leaf("td", clock_text(event.at), {{"class", "when"}});
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

}  // namespace capstan::simulation::page
