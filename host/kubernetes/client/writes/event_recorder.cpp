#include "kubernetes/client/writes/event_recorder.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>

#include "io/known_secrets.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes {
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
    EventNote told = note;
    told.message = io::redacted(std::move(told.message));
    const engine::PassTime time{calls_.loop().clock()->now(), calls_.loop().clock()->wall()};
    // A note that is dropped has not been told, and may come again at once.
    if (correlator_.is_due(told, time.now) && !spend(told.is_distinct)) {
        ++counts_.over_budget;
    } else if (std::optional<EventWrite> write = correlator_.take(told, time)) {
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
    // One that still waits is told as the newer one, which counts it.
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
    // A name is made once, so an Event that is there is this one, and the answer to it got lost.
    const bool is_there = !was_patch && !reply && reply.error().provider_code == "AlreadyExists";
    if (reply || is_there) {
        ++counts_.told;
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
    if (is_new && options_.on_trouble)
        options_.on_trouble(within("tell of " + queue_.front().name, error));
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

}  // namespace capstan::kubernetes
