/// One run of `capstan run` as it ships.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../e2e/process.hpp"

namespace capstan::hostile {

/// What ends a wait: 50 ms between two looks. False: it was not so within that time.
bool becomes(std::chrono::milliseconds within, const std::function<bool()>& is_so);

/// Whether all of these are in it.
bool has_all(const std::string& text, const std::vector<std::string>& words);

class HostRun {
public:
    HostRun(const std::filesystem::path& config, const std::filesystem::path& state,
            std::filesystem::path log);

    std::string log() const;
    /// Lines that have all of these words.
    int count(const std::vector<std::string>& words) const;
    /// No words are said at once.
    bool says(const std::vector<std::string>& words) const {
        return words.empty() || count(words) > 0;
    }
    bool is_running() { return process_->is_running(); }
    /// Of a process that has ended.
    int exit_code() { return process_->end(0); }
    /// Sends it; how long the process went on, at most `at_most`.
    std::chrono::milliseconds stop(int signal, std::chrono::milliseconds at_most);

private:
    std::filesystem::path log_;
    std::unique_ptr<e2e::Process> process_;
};

}  // namespace capstan::hostile
