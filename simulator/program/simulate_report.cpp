#include "simulator/program/simulate_report.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include <capstan/sentence.hpp>

#include "commands/table.hpp"
#include "simulator/run_figures.hpp"

namespace capstan::simulator::program {
namespace {

using simulator::clock_text;
using simulator::EventKind;
using simulator::time_of_day_text;

/// If an input has more pods and actions of steps than this, the text shows decisions only.
constexpr std::size_t full_detail_actions_max = 200;
constexpr std::size_t clock_width = 10;
constexpr std::size_t day_width = std::string_view("2026-11-28T03:02:10Z  ").size();

/// Indents all lines but the first.
std::string indented(std::string text, std::size_t by) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
        text.insert(at + 1, by, ' ');
    return text;
}

/// A pod of a dump may have been pending when the dump was taken.
std::string before_start(const simulator::StillPending& line, const simulator::Summary& s) {
    if (line.longest <= s.span) return "";
    return ", " + clock_text(line.longest - s.span) + " of it before the start";
}

void print_still_pending(std::ostream& out, const simulator::Summary& s) {
    for (const simulator::StillPending& line : s.still_pending) {
        out << "  " << line.pods << ": " << counted(line.count, "pod") << " pending for up to "
            << clock_text(line.longest) << before_start(line, s) << '\n';
        if (!line.because.empty()) out << "    " << indented(line.because, 4) << '\n';
    }
}

}  // namespace

Detail detail_for(const simulator::Input& input) {
    std::size_t actions = input.objects.pods.size();
    for (const simulator::Step& step : input.steps) actions += step.actions.size();
    return actions > full_detail_actions_max ? Detail::decisions : Detail::everything;
}

bool is_shown(const simulator::Event& event, Detail detail) {
    if (detail == Detail::everything) return true;
    return event.kind != EventKind::arrival && event.kind != EventKind::departure &&
           event.kind != EventKind::node && event.kind != EventKind::bound;
}

void print_title(std::ostream& out, const simulator::Input& input,
                 const std::optional<Duration>& until) {
    out << (input.title.empty() ? input.source : input.title) << '\n';
    if (const auto start = input.real_start())
        out << "from " << time_of_day_text(start, Duration(0)) << " (" << input.start_because
            << ")\n";
    if (until && input.time_limit) {
        out << "for " << clock_text(*until) << '\n';
    } else if (input.time_limit) {
        out << "for at most " << clock_text(*input.time_limit)
            << "; --until DURATION sets another time limit\n";
    }
    out << '\n';
}

void print_event(std::ostream& out, const simulator::Event& event,
                 const std::optional<Time>& start) {
    std::string clock = clock_text(event.at);
    clock.resize(std::max(clock.size() + 1, clock_width), ' ');
    if (start) clock += time_of_day_text(start, event.at) + "  ";
    const std::size_t width = start ? clock_width + day_width : clock_width;
    out << clock << indented(event.text, width) << '\n';
    if (!event.because.empty() && !event.is_repeated)
        out << std::string(width + 2, ' ') << indented(event.because, width + 2) << '\n';
}

void print_summary(std::ostream& out, const simulator::Report& report) {
    const simulator::Summary& s = report.summary;
    out << "\nSUMMARY\n";
    std::vector<std::vector<std::string>> rows;
    for (const simulator::Figure& figure : simulator::figures_of(report))
        rows.push_back({figure.name, figure.text});
    commands::print_table(out, rows, "  ");
    if (!s.still_pending.empty()) {
        out << "\nWITHOUT A NODE\n";
        print_still_pending(out, s);
    }
    if (report.expected == 0) return;
    out << '\n';
    for (const simulator::Unmet& unmet : report.unmet)
        out << unmet.place << ": " << indented(unmet.text, 2) << '\n';
    const auto met = report.expected - static_cast<std::int64_t>(report.unmet.size());
    out << met << " of " << counted(report.expected, "expectation") << " met\n";
}

namespace {

namespace json = boost::json;

/// Whole milliseconds, so that JSON has no fractions of a second.
std::int64_t ms(Duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

json::value ms_or_null(const std::optional<Duration>& d) {
    return d ? json::value(ms(*d)) : json::value(nullptr);
}

json::object event_json(const simulator::Event& event, const std::optional<Time>& start) {
    json::object out{
        {"at_ms", ms(event.at)}, {"kind", simulator::name_of(event.kind)}, {"text", event.text}};
    if (start) out["time"] = time_of_day_text(start, event.at);
    if (!event.because.empty()) out["because"] = event.because;
    if (!event.subject.empty()) out["subject"] = event.subject;
    if (event.count) out["count"] = *event.count;
    return out;
}

json::object summary_json(const simulator::Summary& s) {
    json::array still;
    for (const simulator::StillPending& p : s.still_pending) {
        still.push_back(json::object{{"pods", p.pods},
                                     {"count", p.count},
                                     {"longest_ms", ms(p.longest)},
                                     {"because", p.because}});
    }
    return {{"span_ms", ms(s.span)},
            {"passes", s.passes},
            {"pods",
             {{"arrived", s.pods_arrived},
              {"recreated", s.pods_recreated},
              {"bound", s.pods_bound},
              {"ended", s.pods_ended}}},
            {"pending_ms",
             {{"p50", ms_or_null(s.pending_p50)},
              {"p95", ms_or_null(s.pending_p95)},
              {"max", ms_or_null(s.pending_max)}}},
            {"nodes", {{"start", s.nodes_start}, {"peak", s.nodes_peak}, {"end", s.nodes_end}}},
            {"removals",
             {{"nodes", s.nodes_removed},
              {"undone", s.removals_undone},
              {"evictions", s.evictions},
              {"p50_ms", ms_or_null(s.removal_p50)},
              {"max_ms", ms_or_null(s.removal_max)}}},
            {"node_hours", s.node_hours},
            {"node_hours_of", json::value_from(s.node_hours_of)},
            {"cost", json::value_from(s.cost)},
            {"used",
             {{"cpu", json::value_from(s.cpu_used)}, {"memory", json::value_from(s.memory_used)}}},
            {"still_pending", std::move(still)}};
}

}  // namespace

json::object report_json(const simulator::Report& report) {
    json::array events, unmet;
    for (const simulator::Event& event : report.events)
        events.push_back(event_json(event, report.start));
    for (const simulator::Unmet& u : report.unmet)
        unmet.push_back(json::object{{"place", u.place}, {"text", u.text}});
    json::object out{{"title", report.title}, {"seed", report.seed}};
    if (report.start) out["start"] = time_of_day_text(report.start, Duration(0));
    out["end"] = {{"reason", name_of(report.end)}, {"because", report.end_because}};
    out["events"] = std::move(events);
    out["summary"] = summary_json(report.summary);
    out["expected"] = report.expected;
    out["unmet"] = std::move(unmet);
    return out;
}

namespace {

constexpr std::size_t bar_width = 20;

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
    const auto full = static_cast<std::size_t>(share * bar_width);
    std::string number = std::to_string(static_cast<int>(share * 100));
    number.insert(0, 3 - std::min<std::size_t>(number.size(), 3), ' ');
    return "[" + std::string(full, '#') + std::string(bar_width - full, '-') + "] " + number +
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
