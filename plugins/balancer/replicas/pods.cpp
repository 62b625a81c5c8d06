#include "pods.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace capstan::replicas {
namespace {

bool has_condition(const Json& pod, std::string_view type) {
    const Json* conditions = pod.find({"status", "conditions"});
    if (conditions == nullptr) return false;
    return std::ranges::any_of(conditions->items(), [&](const Json& c) {
        return c.text_at({"type"}) == type && c.text_at({"status"}) == "True";
    });
}

/// The digits at a place; -1: others stand there.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
    int out = -1;
    if (at + digits > text.size()) return -1;
    const char* const end = text.data() + at + digits;
    const auto [last, bad] = std::from_chars(text.data() + at, end, out);
    return bad == std::errc() && last == end ? out : -1;
}

}  // namespace

std::optional<PodFacts> read_pod(const Json& pod) {
    const std::string& phase = pod.text_at({"status", "phase"});
    const bool is_running = phase == "Running";
    // One without a phase has just been made.
    if (!is_running && phase != "Pending" && !phase.empty()) return std::nullopt;
    if (pod.find({"metadata", "deletionTimestamp"}) != nullptr) return std::nullopt;
    PodFacts out{.is_running = is_running,
                 .is_ready = is_running && has_condition(pod, "Ready"),
                 .created = find_time(pod.text_at({"metadata", "creationTimestamp"}))};
    if (const Json* labels = pod.find({"metadata", "labels"})) {
        for (const auto& [key, value] : labels->members()) out.labels[key] = value.text();
    }
    return out;
}

std::optional<Time> find_time(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00";
    if (text.size() <= form.size() || !text.ends_with('Z')) return std::nullopt;
    for (const std::size_t at : {4u, 7u, 10u, 13u, 16u}) {
        if (text[at] != form[at]) return std::nullopt;
    }
    const int year = number_at(text, 0, 4), month = number_at(text, 5, 2);
    const int day = number_at(text, 8, 2), hour = number_at(text, 11, 2);
    const int minute = number_at(text, 14, 2), second = number_at(text, 17, 2);
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    // What a Time has room for.
    const bool is_near = year >= 1700 && year <= 2250;
    if (!is_near || !date.ok() || hour < 0 || minute < 0 || second < 0) return std::nullopt;
    return Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
           std::chrono::minutes(minute) + std::chrono::seconds(second);
}

std::string time_text(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
    std::array<char, 80> out{};
    std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    return out.data();
}

bool Pods::put(const Json& pod) {
    std::optional<PodFacts> facts = read_pod(pod);
    if (!facts) return remove(pod);
    const auto [at, is_new] = namespaces_[pod.text_at({"metadata", "namespace"})].try_emplace(
        pod.text_at({"metadata", "name"}));
    if (!is_new && at->second == *facts) return false;
    at->second = *std::move(facts);
    return true;
}

bool Pods::remove(const Json& pod) {
    const auto ns = namespaces_.find(pod.text_at({"metadata", "namespace"}));
    if (ns == namespaces_.end()) return false;
    const bool was_there = ns->second.erase(pod.text_at({"metadata", "name"})) > 0;
    if (ns->second.empty()) namespaces_.erase(ns);
    return was_there;
}

PodCounts Pods::count(const std::string& ns, const LabelSelector& of, const LabelSelector* own,
                      Time now, std::optional<Duration> timeout) const {
    PodCounts out;
    const auto pods = namespaces_.find(ns);
    if (pods == namespaces_.end()) return out;
    for (const auto& [name, pod] : pods->second) {
        if (!matches(of, pod.labels)) continue;
        ++out.total;
        out.running += pod.is_running ? 1 : 0;
        out.ready += pod.is_ready ? 1 : 0;
        if (own != nullptr && !matches(*own, pod.labels) && out.foreign++ == 0)
            out.foreign_name = name;
        if (pod.is_running || !timeout || !pod.created) continue;
        // No sum, which the longest timeouts would carry past the end of time.
        if (now - *pod.created > *timeout) {
            ++out.blocked;
        } else if (const Duration left = *timeout - (now - *pod.created);
                   left < std::chrono::hours(24 * 365)) {
            out.next_due = std::min(out.next_due.value_or(Time::max()), now + left + Duration(1));
        }
    }
    return out;
}

}  // namespace capstan::replicas
