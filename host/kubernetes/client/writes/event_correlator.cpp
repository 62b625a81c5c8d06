#include "kubernetes/client/writes/event_correlator.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "io/printable.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration between_equal = 5min;
constexpr Duration similar_window = 10min;
constexpr std::size_t similar_limit = 10;
constexpr std::size_t event_message_limit = 1024 - 3;  ///< three more say that it was cut
constexpr std::size_t name_limit =
    230;  ///< of 253, to leave room for the part that makes it unique
constexpr std::string_view combined = "(combined from similar events): ";

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) out.append(part) += '\0';
    return out;
}

std::string event_key(const EventNote& note) {
    const ObjectReference& about = note.about;
    return joined({about.kind, about.ns, about.name, about.uid, about.api_version,
                   note.is_warning ? "Warning" : "Normal", note.reason});
}

boost::json::value timestamp(Time time) {
    const auto text = find_timestamp_text(std::chrono::floor<std::chrono::seconds>(time));
    return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

boost::json::object write_reference(const ObjectReference& about) {
    boost::json::object out{
        {"apiVersion", about.api_version}, {"kind", about.kind}, {"name", about.name}};
    if (!about.ns.empty()) out["namespace"] = about.ns;
    if (!about.uid.empty()) out["uid"] = about.uid;
    return out;
}

}  // namespace

EventCorrelator::EventCorrelator(Options options)
    : options_(std::move(options)),
      similar_(options_.limit),
      told_(options_.limit),
      let_through_(options_.limit) {}

std::optional<EventWrite> EventCorrelator::take(const EventNote& note,
                                                const engine::PassTime& time) {
    std::string key = event_key(note);
    std::string message = note.message;
    if (is_combined(key, note, time.now)) {
        message.insert(0, combined);
    } else {
        key += message;
    }
    message = io::printable(message, event_message_limit);
    Told& told = told_[key];
    if (told.count++ == 0) {
        told.name = name_for(note.about, time.wall);
        told.first = time.wall;
    }
    if (!is_due(note, time.now)) return std::nullopt;
    let_through_[spacing_key(note)] = time.now;
    EventWrite write = write_of(note, message, told, time.wall);
    write.key = std::move(key);
    return write;
}

bool EventCorrelator::is_combined(const std::string& key, const EventNote& note, Time now) {
    Similar& similar = similar_[key];
    if (now - similar.last > similar_window) similar.messages.clear();
    similar.last = now;
    similar.messages.insert(note.message);
    if (similar.messages.size() < similar_limit) return false;
    // Keeps the number where it is, without growing.
    similar.messages.erase(similar.messages.begin());
    return true;
}

bool EventCorrelator::is_due(const EventNote& note, Time now) {
    const std::optional<Time>* const last = let_through_.find(spacing_key(note));
    return last == nullptr || !*last || now - **last >= between_equal;
}

std::string EventCorrelator::spacing_key(const EventNote& note) {
    return event_key(note) + (note.is_distinct ? note.message : "");
}

std::string EventCorrelator::name_for(const ObjectReference& about, Time wall) {
    std::string name = about.name.substr(0, name_limit);
    // What stands before the dot has to end as a name ends.
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
    last_name_ = std::max<std::int64_t>(unix_ns(wall), last_name_ + 1);
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, last_name_, 16).ptr;
    return name.append(".").append(digits, end);
}

EventWrite EventCorrelator::write_of(const EventNote& note, const std::string& message,
                                     const Told& told, Time wall) const {
    EventWrite out;
    // What is in no namespace has its events in this one.
    out.ns = note.about.ns.empty() ? "default" : note.about.ns;
    out.name = told.name;
    out.patch = {{"count", told.count}, {"lastTimestamp", timestamp(wall)}, {"message", message}};
    out.event = {
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata", {{"name", out.name}, {"namespace", out.ns}}},
        {"involvedObject", write_reference(note.about)},
        {"reason", note.reason},
        {"type", note.is_warning ? "Warning" : "Normal"},
        {"source", {{"component", options_.component}}},
        {"reportingComponent", options_.component},
        {"reportingInstance", options_.instance},
        {"firstTimestamp", timestamp(told.first)},
    };
    for (const auto& [key, value] : out.patch) out.event[key] = value;
    return out;
}

}  // namespace capstan::kubernetes
