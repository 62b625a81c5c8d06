#include "simulator/run_figures.hpp"

#include <chrono>
#include <cstdio>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

namespace capstan::simulator {
namespace {

std::string decimals(double number) {
    char out[64];
    std::snprintf(out, sizeof out, "%.2f", number);
    return out;
}

std::string arrived_text(const Summary& s) {
    const std::string back = std::to_string(s.pods_recreated);
    return std::to_string(s.pods_arrived) + " arrived" +
           (s.pods_recreated == 0 ? "" : " (" + back + " recreated)");
}

std::string wait_text(const Summary& s) {
    if (!s.pending_p50 || !s.pending_p95 || !s.pending_max) return "no pod was bound";
    return "p50 " + clock_text(*s.pending_p50) + ", p95 " + clock_text(*s.pending_p95) +
           ", longest " + clock_text(*s.pending_max);
}

std::string used_text(const Summary& s) {
    std::string out;
    if (s.cpu_used) out += percent(*s.cpu_used) + " of cpu";
    if (s.memory_used) out += (out.empty() ? "" : ", ") + percent(*s.memory_used) + " of memory";
    return out.empty() ? "no nodes" : out;
}

std::string hours_text(const Summary& s) {
    std::string groups;
    for (const auto& [group, hours] : s.node_hours_of) {
        groups += (groups.empty() ? "" : ", ") + (group.empty() ? "no group" : group) + " " +
                  decimals(hours);
    }
    return decimals(s.node_hours) + (s.node_hours_of.size() > 1 ? " (" + groups + ")" : "");
}

std::string removal_text(const Summary& s) {
    std::string out = counted(s.nodes_removed, "node");
    if (s.removal_p50 && s.removal_max)
        out += ", p50 " + clock_text(*s.removal_p50) + ", longest " + clock_text(*s.removal_max);
    if (s.removals_undone > 0) out += ", " + std::to_string(s.removals_undone) + " cancelled";
    return out + ", " + counted(s.evictions, "eviction");
}

}  // namespace

std::string clock_text(Duration at) {
    using std::chrono::days;
    using std::chrono::seconds;
    const auto whole = std::chrono::floor<seconds>(at);
    const auto day = std::chrono::floor<days>(whole);
    if (day < days(2)) return format_duration(whole);
    const std::string rest = whole == day ? "" : format_duration(whole - day);
    return std::to_string(day.count()) + "d" + rest;
}

std::string time_of_day_text(const std::optional<Time>& start, Duration at) {
    return start ? format_rfc3339(*start + at, 0) : "";
}

std::string moment_text(const std::optional<Time>& start, Duration at) {
    return clock_text(at) + (start ? " (" + time_of_day_text(start, at) + ")" : "");
}

std::vector<Figure> figures_of(const Summary& s) {
    std::vector<Figure> out{
        {"time", clock_text(s.span) + ", " + std::to_string(s.passes) +
                     (s.passes == 1 ? " pass" : " passes")},
        {"pods", arrived_text(s) + ", " + std::to_string(s.pods_bound) + " bound, " +
                     std::to_string(s.pods_ended) + " completed"},
        {"pending time", wait_text(s)},
        {"nodes", std::to_string(s.nodes_start) + " at the start, " + std::to_string(s.nodes_peak) +
                      " at most, " + std::to_string(s.nodes_end) + " at the end"},
        {"node hours", hours_text(s)},
        {"cost", s.cost ? decimals(*s.cost) : "unknown: a group has no price"},
        {"used", used_text(s)}};
    const bool removes = s.nodes_removed + s.removals_undone + s.evictions > 0;
    if (removes) out.insert(out.begin() + 4, {"removed", removal_text(s)});
    return out;
}

std::vector<Figure> figures_of(const Report& report) {
    std::vector<Figure> out = figures_of(report.summary);
    if (!report.end_because.empty()) out.push_back({"end", report.end_because});
    return out;
}

}  // namespace capstan::simulator
