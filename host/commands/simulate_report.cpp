#include "commands/simulate_report.hpp"

#include <chrono>
#include <cstdio>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "commands/table.hpp"

namespace capstan::commands {
namespace {

using simulation::EventKind;

/// Inputs with more actions than this tell of decisions only.
constexpr std::size_t told_max = 200;
constexpr std::size_t clock_width = 10;

std::string decimals(double number) {
    char out[64];
    std::snprintf(out, sizeof out, "%.2f", number);
    return out;
}

/// Lines after the first stand below it.
std::string indented(std::string text, std::size_t by) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
        text.insert(at + 1, by, ' ');
    return text;
}

std::string wait_text(const simulation::Summary& s) {
    if (!s.pending_p50) return "no pod got a node";
    return "p50 " + clock_text(*s.pending_p50) + ", p95 " + clock_text(*s.pending_p95) +
           ", longest " + clock_text(*s.pending_max);
}

std::string used_text(const simulation::Summary& s) {
    std::string out;
    if (s.cpu_used) out += percent(*s.cpu_used) + " of cpu";
    if (s.memory_used) out += (out.empty() ? "" : ", ") + percent(*s.memory_used) + " of memory";
    return out.empty() ? "no node" : out;
}

std::string hours_text(const simulation::Summary& s) {
    std::string groups;
    for (const auto& [group, hours] : s.node_hours_of) {
        groups += (groups.empty() ? "" : ", ") + (group.empty() ? "no group" : group) + " " +
                  decimals(hours);
    }
    return decimals(s.node_hours) + (s.node_hours_of.size() > 1 ? " (" + groups + ")" : "");
}

void print_still_pending(std::ostream& out, const simulation::Summary& s) {
    for (const simulation::StillPending& line : s.still_pending) {
        out << "  " << line.pods << ": " << counted(line.count, "pod")
            << (line.count == 1 ? " waits" : " wait") << " for up to " << clock_text(line.longest)
            << '\n';
        if (!line.because.empty()) out << "    " << indented(line.because, 4) << '\n';
    }
}

}  // namespace

Detail detail_for(const simulation::Input& input) {
    std::size_t actions = input.objects.pods.size();
    for (const simulation::Step& step : input.steps) actions += step.actions.size();
    return actions > told_max ? Detail::decisions : Detail::everything;
}

bool is_shown(const simulation::Event& event, Detail detail) {
    if (detail == Detail::everything) return true;
    return event.kind == EventKind::increase || event.kind == EventKind::failure ||
           event.kind == EventKind::unhelped || event.kind == EventKind::note ||
           event.kind == EventKind::unmet;
}

std::string clock_text(Duration at) {
    using std::chrono::days;
    using std::chrono::seconds;
    const auto whole = std::chrono::floor<seconds>(at);
    const auto day = std::chrono::floor<days>(whole);
    if (day < days(2)) return format_duration(whole);
    const std::string rest = whole == day ? "" : format_duration(whole - day);
    return std::to_string(day.count()) + "d" + rest;
}

void print_title(std::ostream& out, const simulation::Input& input) {
    out << (input.title.empty() ? input.source : input.title) << "\n\n";
}

void print_event(std::ostream& out, const simulation::Event& event) {
    std::string clock = clock_text(event.at);
    clock.resize(std::max(clock.size() + 1, clock_width), ' ');
    out << clock << indented(event.text, clock_width) << '\n';
    if (!event.because.empty()) {
        out << std::string(clock_width + 2, ' ') << indented(event.because, clock_width + 2)
            << '\n';
    }
}

void print_summary(std::ostream& out, const simulation::Report& report) {
    const simulation::Summary& s = report.summary;
    out << "\nSUMMARY\n";
    std::vector<std::vector<std::string>> rows{
        {"time", clock_text(s.span) + ", " + std::to_string(s.passes) +
                     (s.passes == 1 ? " pass" : " passes")},
        {"pods", std::to_string(s.pods_arrived) + " arrived, " + std::to_string(s.pods_bound) +
                     " got a node, " + std::to_string(s.pods_ended) + " ended"},
        {"pending time", wait_text(s)},
        {"nodes", std::to_string(s.nodes_start) + " at the start, " + std::to_string(s.nodes_peak) +
                      " at most, " + std::to_string(s.nodes_end) + " at the end"},
        {"node hours", hours_text(s)},
        {"cost", s.cost ? decimals(*s.cost) : "unknown: a group has no price"},
        {"used", used_text(s)}};
    print_table(out, rows, "  ");
    if (!s.still_pending.empty()) {
        out << "\nWITHOUT A NODE\n";
        print_still_pending(out, s);
    }
    if (report.expected == 0) return;
    out << '\n';
    for (const simulation::Unmet& unmet : report.unmet)
        out << unmet.place << ": " << indented(unmet.text, 2) << '\n';
    const auto met = report.expected - static_cast<std::int64_t>(report.unmet.size());
    out << met << " of " << counted(report.expected, "expectation") << " met\n";
}

}  // namespace capstan::commands
