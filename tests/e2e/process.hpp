/// Programs that a story starts, asks, and kills.
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

/// A program that runs beside the story; killed with it, whatever ends it.
class Process {
public:
    using Variables = std::map<std::string, std::string>;
    /// `log` gets what it writes, appended.
    Process(const std::vector<std::string>& command, const Variables& variables,
            const std::filesystem::path& log);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    bool is_running();
    void signal(int number);
    /// Sends the signal and waits until it has ended, 30 s at most, then kills it; its exit code,
    /// 128 and the signal's number where one ended it.
    int end(int number);
    pid_t id() const noexcept { return id_; }

private:
    pid_t id_ = 0;
    int status_ = 0;
    bool has_ended_ = false;
};

/// What a program that was waited for said, and its exit code.
struct Said {
    int code = 0;
    std::string out{}, errors{};
};
/// `input` is what it reads. Killed after a minute.
Said run(const std::vector<std::string>& command, const Process::Variables& variables = {},
         const std::string& input = {});

/// Asks again every 200 ms until it is so; false: it was not within that time.
bool becomes(Seconds within, const std::function<bool()>& is_so);

}  // namespace capstan::e2e
