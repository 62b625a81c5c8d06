#include "runtime/daemon/watch_outage.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

namespace capstan::runtime::daemon {

void FailureLog::failed(const Error& error, Duration now) {
    if (since_ && now - last_ > quiet) forget();
    if (!since_) since_ = now;
    last_ = now;
    ++count_;
    const auto told = told_.find(error.code);
    if (told != told_.end() && now - told->second < quiet) return;
    told_[error.code] = now;
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
    told_.clear();
}

namespace {

constexpr std::string_view watch_source = "kubernetes";
/// A kind whose watch opens and fails at once is in touch for a moment.
constexpr int calm_looks_needed = 2;
constexpr std::size_t names_most = 32;

/// Kinds with what is wrong with them, those of one code together: "Node, Pod: no connection".
std::string by_trouble(const std::vector<kubernetes::client::MirrorTrouble>& troubles) {
    std::map<ErrorCode, std::vector<const kubernetes::client::MirrorTrouble*>> by_code;
    for (const kubernetes::client::MirrorTrouble& trouble : troubles)
        by_code[trouble.error.code].push_back(&trouble);
    std::string out;
    for (const auto& [code, alike] : by_code)
        out += (out.empty() ? "" : "; ") +
               listed(
                   alike,
                   [](const kubernetes::client::MirrorTrouble* trouble) { return trouble->kind; },
                   names_most) +
               ": " + alike.front()->error.message;
    return out;
}

}  // namespace

WatchOutage::WatchOutage(io::Loop& loop, services::Logger& log, Look look)
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
    Troubles troubles = look_();
    tell_left_out(troubles);
    std::erase_if(troubles, [](const auto& trouble) { return trouble.is_unavailable; });
    if (troubles.empty()) {
        if (++calm_looks_ >= calm_looks_needed) return end();
    } else {
        calm_looks_ = 0;
        tell_lost(troubles);
    }
    look_again();
}

/// A kind that this server does not have is no outage, and nothing is waited for.
void WatchOutage::tell_left_out(const Troubles& troubles) {
    for (const kubernetes::client::MirrorTrouble& trouble : troubles) {
        if (!trouble.is_unavailable) {
            left_out_.erase(trouble.kind);
            continue;
        }
        first_.erase(trouble.kind);
        if (left_out_.insert(trouble.kind).second)
            log_.write(config::LogLevel::warn, watch_source,
                       trouble.kind + " is not followed: " + trouble.error.message);
    }
}

void WatchOutage::tell_lost(const Troubles& troubles) {
    const Duration now = loop_.monotonic();
    const bool is_first = !told_at_;
    const bool is_new = std::ranges::any_of(
        troubles, [&](const auto& trouble) { return !told_.contains(trouble.kind); });
    const bool is_due =
        is_first || (is_new && now - *told_at_ >= between_lines) || now - *told_at_ >= quiet;
    if (!is_due) return;
    told_at_ = now;
    for (const kubernetes::client::MirrorTrouble& trouble : troubles) told_.insert(trouble.kind);
    log_.write(config::LogLevel::warn, watch_source,
               "out of touch with the API server" +
                   (is_first ? std::string() : ", for " + format_rough_duration(now - *since_)) +
                   ": " + by_trouble(troubles));
}

void WatchOutage::end() {
    // The looks that found nothing are none of the outage.
    const Duration length = loop_.monotonic() - *since_ - calm_looks_needed * period;
    const std::string after = format_rough_duration(std::max(length, Duration::zero()));
    if (told_at_) {
        log_.write(config::LogLevel::info, watch_source,
                   "every kind is followed again, after " + after);
    } else if (!first_.empty()) {
        Troubles passed;
        for (const auto& [kind, error] : first_) passed.push_back({kind, error});
        log_.write(config::LogLevel::info, watch_source,
                   "was out of touch with the API server for a moment: " + by_trouble(passed));
    }
    since_.reset();
    told_at_.reset();
    first_.clear();
    told_.clear();
    calm_looks_ = 0;
}

}  // namespace capstan::runtime::daemon
