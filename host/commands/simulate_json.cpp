#include <chrono>

#include <boost/json/array.hpp>

#include "commands/simulate_report.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

/// Whole milliseconds, so that no reader depends on how a fraction is written.
std::int64_t ms(Duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

json::value ms_or_null(const std::optional<Duration>& d) {
    return d ? json::value(ms(*d)) : json::value(nullptr);
}
json::value number_or_null(const std::optional<double>& number) {
    return number ? json::value(*number) : json::value(nullptr);
}

json::object event_json(const simulation::Event& event) {
    json::object out{
        {"at_ms", ms(event.at)}, {"kind", simulation::name_of(event.kind)}, {"text", event.text}};
    if (!event.because.empty()) out["because"] = event.because;
    if (!event.subject.empty()) out["subject"] = event.subject;
    if (event.count) out["count"] = *event.count;
    return out;
}

json::object summary_json(const simulation::Summary& s) {
    json::object hours;
    for (const auto& [group, h] : s.node_hours_of) hours[group] = h;
    json::array still;
    for (const simulation::StillPending& p : s.still_pending) {
        still.push_back(json::object{{"pods", p.pods},
                                     {"count", p.count},
                                     {"longest_ms", ms(p.longest)},
                                     {"because", p.because}});
    }
    return {
        {"span_ms", ms(s.span)},
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
        {"node_hours_of", std::move(hours)},
        {"cost", number_or_null(s.cost)},
        {"used", {{"cpu", number_or_null(s.cpu_used)}, {"memory", number_or_null(s.memory_used)}}},
        {"still_pending", std::move(still)}};
}

}  // namespace

json::object report_json(const simulation::Report& report) {
    json::array events, unmet;
    for (const simulation::Event& event : report.events) events.push_back(event_json(event));
    for (const simulation::Unmet& u : report.unmet)
        unmet.push_back(json::object{{"place", u.place}, {"text", u.text}});
    return {{"title", report.title},       {"seed", report.seed},
            {"events", std::move(events)}, {"summary", summary_json(report.summary)},
            {"expected", report.expected}, {"unmet", std::move(unmet)}};
}

}  // namespace capstan::commands
