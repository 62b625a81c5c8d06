/// One run of the shipped `capstan run`.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../e2e/process.hpp"

namespace capstan::hostile {

/// Waits until `is_true` returns true; checks every 50 ms. Returns false after `timeout`.
bool wait_until(std::chrono::milliseconds timeout, const std::function<bool()>& is_true);

/// Whether `text` contains all `words`.
bool has_all(const std::string& text, const std::vector<std::string>& words);

class HostRun {
public:
    HostRun(const std::filesystem::path& config, const std::filesystem::path& state,
            std::filesystem::path log);

    std::string log() const;
    /// The number of log lines with all of these words.
    int count(const std::vector<std::string>& words) const;
    /// Whether a log line has all of these words; true without words.
    bool has_line(const std::vector<std::string>& words) const {
        return words.empty() || count(words) > 0;
    }
    bool is_running() { return process_->is_running(); }
    /// The exit code of a process that has ended.
    int exit_code() { return process_->end(0); }
    /// Sends the signal and waits at most `at_most`. Returns how long the process continued.
    std::chrono::milliseconds stop(int signal, std::chrono::milliseconds at_most);

private:
    std::filesystem::path log_;
    std::unique_ptr<e2e::Process> process_;
};

}  // namespace capstan::hostile
