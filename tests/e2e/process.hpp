/// Processes that a test starts and ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace capstan::e2e {

using Seconds = std::chrono::seconds;

/// A process, which is killed when this is destroyed, or when the test process ends.
class Process {
public:
    using Variables = std::map<std::string, std::string>;
    /// Output is appended to `log`.
    Process(const std::vector<std::string>& command, const Variables& variables,
            const std::filesystem::path& log);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    bool is_running();
    void signal(int number);
    /// Sends the signal, waits at most 30 s for the end of the process, then kills it. Returns its
    /// exit code, or 128 plus the number of the signal that ended it.
    int end(int number);
    pid_t id() const noexcept { return id_; }

private:
    pid_t id_ = 0;
    int status_ = 0;
    bool has_ended_ = false;
};

/// Exit code and output of a program that has ended.
struct Output {
    int code = 0;
    std::string out{}, errors{};
};
/// Runs a program with `input` as standard input. Kills it if it takes longer than a minute.
Output run(const std::vector<std::string>& command, const Process::Variables& variables = {},
           const std::string& input = {});

/// Checks the condition every 200 ms. Returns false if it does not become true in time.
bool becomes(Seconds within, const std::function<bool()>& is_so);

}  // namespace capstan::e2e
