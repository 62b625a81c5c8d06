/// Whether the configuration on the disk is the one that runs, and if not, why and since when.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::runtime::daemon {

/// A value. Times are of the wall clock.
struct ConfigStanding {
    Time taken_over{};                   ///< at the start, or by the last reload that was
    std::string hash{};                  ///< SHA-256 of the text that runs, as it is understood
    std::string refusal{};               ///< of the file as it is now, with places; empty: none
    std::vector<std::string> waiting{};  ///< keys that wait for a restart
    bool is_gone = false;                ///< there is no file, or it is empty
    bool is_unread = false;              ///< the file has changed, and waits for SIGHUP
    std::optional<Time> since{};         ///< when it came to be so; nothing: it is in force

    bool is_in_force() const noexcept { return !since; }
    /// Why it is not in force, in one line; empty: it is.
    std::string because() const;
};

/// Keeps it up to date. [any thread]
class ConfigStandingKeeper {
public:
    /// Told of each change, by the thread that brings it.
    using OnChange = std::function<void(bool is_in_force, Time taken_over)>;
    explicit ConfigStandingKeeper(OnChange on_change) : on_change_(std::move(on_change)) {}

    /// That text runs from now on, but for keys that wait for a restart.
    void take_over(const std::string& toml, std::vector<std::string> waiting, Time now);
    /// The file is as what runs, but for keys that wait for a restart.
    void confirm(std::vector<std::string> waiting, Time now);
    void refuse(std::string complaint, Time now);
    void set_gone(bool is_gone, Time now);
    /// The file has changed, and nothing reads it before SIGHUP.
    void leave_unread(Time now);
    ConfigStanding standing() const;

private:
    void settle(Time now);

    const OnChange on_change_;
    mutable std::mutex mutex_;
    ConfigStanding standing_{};
};

}  // namespace capstan::runtime::daemon
