#include "autoscaler/daemon/watch_outage.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

namespace capstan::autoscaler::daemon {

void FailureLog::failed(const Error& error, Duration now) {
    if (since_ && now - last_ > quiet) forget();
    if (!since_) since_ = now;
    last_ = now;
    ++count_;
    const auto last = logged_.find(error.code);
    if (last != logged_.end() && now - last->second < quiet) return;
    logged_[error.code] = now;
    std::string sentence = words_.failed + ": " + error.message;
    if (count_ > 1)
        sentence += " (" + std::to_string(count_) + " times in a row, for " +
                    format_rough_duration(now - *since_) + ")";
    log_.write(words_.level, words_.source, sentence);
}

void FailureLog::succeeded(Duration now) {
    if (since_)
        log_.write(config::LogLevel::info, words_.source,
                   words_.succeeded + ", after " + counted(count_, "failure") + " in " +
                       format_rough_duration(now - *since_));
    forget();
}

void FailureLog::forget() {
    since_.reset();
    count_ = 0;
    logged_.clear();
}

namespace {

constexpr std::string_view watch_source = "kubernetes";
/// A watch that opens and fails at once looks healthy for a moment.
constexpr int calm_looks_needed = 2;
constexpr std::size_t names_most = 32;

}  // namespace

std::string kinds_by_error(const std::vector<kubernetes::client::WatchFailure>& failures) {
    std::map<ErrorCode, std::vector<const kubernetes::client::WatchFailure*>> by_code;
    for (const kubernetes::client::WatchFailure& failure : failures)
        by_code[failure.error.code].push_back(&failure);
    std::string out;
    for (const auto& [code, alike] : by_code)
        out += (out.empty() ? "" : "; ") +
               listed(
                   alike,
                   [](const kubernetes::client::WatchFailure* failure) { return failure->kind; },
                   names_most) +
               ": " + alike.front()->error.message;
    return out;
}

WatchOutage::WatchOutage(io::Loop& loop, plugin_runtime::services::Logger& log, Look look)
    : loop_(loop), log_(log), look_(std::move(look)) {}

WatchOutage::~WatchOutage() {
    if (timer_) loop_.cancel(*timer_);
}

void WatchOutage::begin(const std::string& kind, const Error& error) {
    first_.try_emplace(kind, error);
    if (since_) return;
    since_ = loop_.monotonic();
    look_again();
}

void WatchOutage::look_again() {
    timer_ = loop_.after(period, [this] {
        timer_.reset();
        look();
    });
}

void WatchOutage::look() {
    CAPSTAN_ASSERT(since_, "watches are compared without an outage");
    const Duration since = *since_;
    WatchFailures failures = look_();
    log_unavailable(failures);
    std::erase_if(failures, [](const auto& failure) { return failure.is_unavailable; });
    if (failures.empty()) {
        if (++calm_looks_ >= calm_looks_needed) return end(since);
    } else {
        calm_looks_ = 0;
        log_lost(failures, since);
    }
    look_again();
}

/// A kind that the server does not serve is not an outage.
void WatchOutage::log_unavailable(const WatchFailures& failures) {
    for (const kubernetes::client::WatchFailure& failure : failures) {
        if (!failure.is_unavailable) {
            unavailable_kinds_.erase(failure.kind);
            continue;
        }
        first_.erase(failure.kind);
        if (unavailable_kinds_.insert(failure.kind).second)
            log_.write(config::LogLevel::warn, watch_source,
                       failure.kind + " is not watched: " + failure.error.message);
    }
}

void WatchOutage::log_lost(const WatchFailures& failures, Duration since) {
    const Duration now = loop_.monotonic();
    const bool is_first = !logged_at_;
    const bool is_new = std::ranges::any_of(
        failures, [&](const auto& failure) { return !logged_.contains(failure.kind); });
    const bool is_due =
        is_first || (is_new && now - *logged_at_ >= between_lines) || now - *logged_at_ >= quiet;
    if (!is_due) return;
    logged_at_ = now;
    for (const kubernetes::client::WatchFailure& failure : failures) logged_.insert(failure.kind);
    log_.write(config::LogLevel::warn, watch_source,
               "watches of the API server " +
                   (is_first ? "fail" : "have failed for " + format_rough_duration(now - since)) +
                   ": " + kinds_by_error(failures));
}

void WatchOutage::end(Duration since) {
    // The last looks found no failure: their time is not part of the outage.
    const Duration length = loop_.monotonic() - since - calm_looks_needed * period;
    const std::string after = format_rough_duration(std::max(length, Duration::zero()));
    if (logged_at_) {
        log_.write(config::LogLevel::info, watch_source, "all watches work again after " + after);
    } else if (!first_.empty()) {
        WatchFailures passed;
        for (const auto& [kind, error] : first_) passed.push_back({kind, error});
        log_.write(config::LogLevel::info, watch_source,
                   "watches of the API server failed briefly: " + kinds_by_error(passed));
    }
    since_.reset();
    logged_at_.reset();
    first_.clear();
    logged_.clear();
    calm_looks_ = 0;
}

}  // namespace capstan::autoscaler::daemon
