#include "runtime/daemon/failure_log.hpp"

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

namespace capstan::runtime {
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
        log_.write(LogLevel::info, words_.source,
                   words_.succeeded + ", after " + counted(count_, "failure") + " in " +
                       format_rough_duration(now - *since_));
    forget();
}

void FailureLog::forget() {
    since_.reset();
    count_ = 0;
    told_.clear();
}

}  // namespace capstan::runtime
