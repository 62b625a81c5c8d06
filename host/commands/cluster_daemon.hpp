/// `capstan run` as a process beside `capstan cluster`.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "io/loop.hpp"

namespace capstan::commands {

/// Ends with this, and with this process, whatever ends that. [the loop's thread]
class ClusterDaemon {
public:
    struct Options {
        std::filesystem::path config{}, state{};
        std::filesystem::path log{};  ///< gets what it writes, appended
        /// It is over: "ended with exit code 1". Called once.
        std::function<void(const std::string& how)> ended{};
    };
    static Result<std::unique_ptr<ClusterDaemon>> start(io::Loop& loop, Options options);
    ClusterDaemon(const ClusterDaemon&) = delete;
    ClusterDaemon& operator=(const ClusterDaemon&) = delete;
    ~ClusterDaemon();

    /// Asks it to end; `ended` follows. One that does not within 30 s is killed.
    void stop();
    pid_t id() const noexcept { return id_; }

private:
    ClusterDaemon(io::Loop& loop, pid_t id, Options options);
    void look_soon();
    void look();

    io::Loop& loop_;
    const pid_t id_;
    const Options options_;
    bool is_over_ = false;
    std::optional<Duration> kill_at_{};
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::commands
