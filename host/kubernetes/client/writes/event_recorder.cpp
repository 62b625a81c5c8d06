#include "kubernetes/client/writes/event_recorder.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <boost/json/serialize.hpp>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration between_equal = 5min;
constexpr Duration similar_window = 10min;
constexpr std::size_t similar_limit = 10;
constexpr std::size_t event_message_limit = 1024 - 3;  ///< leaves room for "..."
constexpr std::size_t name_limit = 230;  ///< of 253: leaves room for the number behind the name
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
      aggregates_(options_.limit),
      series_(options_.limit),
      last_written_(options_.limit) {}

std::optional<EventWrite> EventCorrelator::take(const EventNote& note, Time now, Time wall) {
    std::string key = event_key(note);
    std::string message = note.message;
    if (is_combined(key, note, now)) {
        message.insert(0, combined);
    } else {
        key += message;
    }
    message = io::printable(message, event_message_limit);
    EventSeries& series = series_[key];
    if (series.count++ == 0) {
        series.name = name_for(note.about, wall);
        series.first = wall;
    }
    if (!is_due(note, now)) return std::nullopt;
    last_written_[spacing_key(note)] = now;
    EventWrite write = write_of(note, message, series, wall);
    write.key = std::move(key);
    return write;
}

bool EventCorrelator::is_combined(const std::string& key, const EventNote& note, Time now) {
    Aggregate& aggregate = aggregates_[key];
    if (now - aggregate.last > similar_window) aggregate.messages.clear();
    aggregate.last = now;
    aggregate.messages.insert(note.message);
    if (aggregate.messages.size() < similar_limit) return false;
    // The set stays just below the limit, so that the next different message is combined, too.
    aggregate.messages.erase(aggregate.messages.begin());
    return true;
}

bool EventCorrelator::is_due(const EventNote& note, Time now) {
    const std::optional<Time>* const last = last_written_.find(spacing_key(note));
    return last == nullptr || !*last || now - **last >= between_equal;
}

std::string EventCorrelator::spacing_key(const EventNote& note) {
    return event_key(note) + (note.is_distinct ? note.message : "");
}

std::string EventCorrelator::name_for(const ObjectReference& about, Time wall) {
    std::string name = about.name.substr(0, name_limit);
    // A label of a DNS name must end with a letter or digit.
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
    last_name_ = std::max<std::int64_t>(unix_ns(wall), last_name_ + 1);
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, last_name_, 16).ptr;
    return name.append(".").append(digits, end);
}

EventWrite EventCorrelator::write_of(const EventNote& note, const std::string& message,
                                     const EventSeries& series, Time wall) const {
    EventWrite out;
    // Events of cluster-scoped objects are in the namespace "default".
    out.ns = note.about.ns.empty() ? "default" : note.about.ns;
    out.name = series.name;
    out.patch = {{"count", series.count}, {"lastTimestamp", timestamp(wall)}, {"message", message}};
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
        {"firstTimestamp", timestamp(series.first)},
    };
    for (const auto& [key, value] : out.patch) out.event[key] = value;
    return out;
}

namespace {

constexpr double kept_for_distinct = 0.2;

bool may_pass(ErrorCode code) {
    switch (code) {
        case ErrorCode::unavailable:
        case ErrorCode::deadline:
        case ErrorCode::throttled:
        case ErrorCode::busy:
        case ErrorCode::unauthenticated: return true;
        default: return false;
    }
}

}  // namespace

EventRecorder::EventRecorder(Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)),
      correlator_(options_.correlator),
      random_(options_.seed),
      budget_(options_.per_minute),
      budget_at_(loop.monotonic()),
      exists_(options_.correlator.limit),
      calls_(api, loop) {}

void EventRecorder::record(const EventNote& note) {
    if (is_flushing_) return;
    EventNote redacted = note;
    redacted.message = io::redacted(std::move(redacted.message));
    const Time now = calls_.loop().clock()->now();
    // A dropped note does not reach the correlator, so the spacing does not delay the next one.
    if (correlator_.is_due(redacted, now) && !spend(redacted.is_distinct)) {
        ++counts_.over_budget;
    } else if (std::optional<EventWrite> write =
                   correlator_.take(redacted, now, calls_.loop().clock()->wall())) {
        enqueue(std::move(*write));
    } else {
        ++counts_.too_soon;
    }
}

double EventRecorder::budget_for(bool is_distinct) {
    const Duration now = calls_.loop().monotonic();
    const std::chrono::duration<double, std::ratio<60>> minutes =
        now - std::exchange(budget_at_, now);
    const double most = options_.per_minute;
    budget_ = std::min(most, budget_ + minutes.count() * most);
    return budget_ - (is_distinct ? 0 : most * kept_for_distinct);
}

bool EventRecorder::spend(bool is_distinct) {
    if (budget_for(is_distinct) < 1) return false;
    budget_ -= 1;
    return true;
}

std::size_t EventRecorder::room() {
    if (is_flushing_) return 0;
    const auto budget = static_cast<std::size_t>(std::max(0.0, budget_for(false)));
    const std::size_t places = options_.queue_limit - std::min(options_.queue_limit, queue_.size());
    return std::min(budget, places);
}

void EventRecorder::enqueue(EventWrite write) {
    // A queued write of the same Event is replaced: the newer write has the higher count.
    const auto waiting =
        std::find_if(queue_.begin() + (is_sending_ ? 1 : 0), queue_.end(),
                     [&](const EventWrite& each) { return each.key == write.key; });
    if (waiting != queue_.end()) {
        *waiting = std::move(write);
    } else if (queue_.size() >= options_.queue_limit) {
        ++counts_.queue_full;
    } else {
        queue_.push_back(std::move(write));
    }
    if (!std::exchange(is_sending_, !queue_.empty()) && is_sending_)
        calls_.after(Duration::zero(), [this] { send_first(); });
}

void EventRecorder::send_first() {
    const EventWrite& write = queue_.front();
    const bool is_patch = exists_.find(write.key) != nullptr;
    ++tries_;
    calls_.send(
        {.method = is_patch ? "PATCH" : "POST",
         .path = path_of(resources::events, write.ns, is_patch ? write.name : ""),
         .body = boost::json::serialize(is_patch ? write.patch : write.event),
         .content_type = is_patch ? "application/strategic-merge-patch+json" : "application/json",
         .purpose = "event"},
        [this, is_patch](Result<ApiReply> reply) { take(std::move(reply), is_patch); });
}

void EventRecorder::take(Result<ApiReply> reply, bool was_patch) {
    // Names are unique, so an Event of this name is this one: the reply to an earlier try got lost.
    const bool is_there = !was_patch && !reply && reply.error().provider_code == "AlreadyExists";
    if (reply || is_there) {
        ++counts_.recorded;
        is_in_trouble_ = false;
        exists_[queue_.front().key] = true;
        return pop();
    }
    const Error& error = reply.error();
    // Events are kept for an hour by default.
    if (was_patch && error.code == ErrorCode::not_found) {
        exists_.erase(queue_.front().key);
        return send_first();
    }
    if (!may_pass(error.code)) return drop_first(error, counts_.refused);
    try_again(error);
}

void EventRecorder::try_again(const Error& error) {
    if (tries_ >= options_.tries) return drop_first(error, counts_.given_up);
    const Duration least = std::max(options_.between_tries, error.retry_after.value_or(Duration{}));
    const Duration more =
        options_.between_tries / 4 / 1024 * static_cast<std::int64_t>(random_.next() % 1024);
    calls_.after(least + more, [this] { send_first(); });
}

void EventRecorder::drop_first(const Error& error, std::uint64_t& counter) {
    ++counter;
    const bool is_new = !std::exchange(is_in_trouble_, true);
    if (is_new && options_.on_error)
        options_.on_error(within("write event " + queue_.front().name, error));
    pop();
}

void EventRecorder::pop() {
    tries_ = 0;
    queue_.pop_front();
    if (!queue_.empty()) return send_first();
    is_sending_ = false;
    if (is_flushing_) finish();
}

void EventRecorder::flush(Duration deadline, std::function<void()> done) {
    is_flushing_ = true;
    flushed_ = std::move(done);
    calls_.after(queue_.empty() ? Duration::zero() : deadline, [this] { finish(); });
}

void EventRecorder::finish() {
    counts_.given_up += queue_.size();
    queue_.clear();
    calls_.cancel_all();
    if (const auto flushed = std::exchange(flushed_, nullptr)) flushed();
}

}  // namespace capstan::kubernetes::client
