/// Notices when a configuration file has changed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/loop.hpp"

namespace capstan::runtime::daemon {

/// Watches the file's folder, for editors write a new file in place of the old, and the folder of
/// every link on the way to the file: a mounted ConfigMap is exchanged by turning one of them.
/// Follows links that are turned. Lives on the loop's thread alone.
class ConfigWatch {
public:
    /// `on_change`: the content is another than before, and has been for a second. `on_gone`: for a
    /// second there has been no file, or an empty one; or there is one again, of which on_change
    /// tells where it is another than before. Borrows the loop. `unavailable`: the folder that
    /// `file` names cannot be watched. Those that links lead to are watched where they can be.
    /// `known`: the content that counts as known, for the file may have changed since it was read;
    /// empty: as it is now.
    static Result<std::unique_ptr<ConfigWatch>> open(io::Loop& loop, std::filesystem::path file,
                                                     std::function<void()> on_change,
                                                     std::function<void(bool is_gone)> on_gone = {},
                                                     std::string known = {});
    ConfigWatch(const ConfigWatch&) = delete;
    ConfigWatch& operator=(const ConfigWatch&) = delete;
    /// No callback runs afterwards.
    ~ConfigWatch();

private:
    ConfigWatch(io::Loop& loop, std::filesystem::path file, std::function<void()> on_change,
                std::function<void(bool is_gone)> on_gone, std::string known, int descriptor);
    /// Watches the folders on the way to the file, as it is now, and no others.
    void follow_links();
    void await_event();
    void look();
    void tell();
    void tell_in(Duration delay);
    std::string content() const;

    io::Loop& loop_;
    const std::filesystem::path file_;
    const std::function<void()> on_change_;
    const std::function<void(bool is_gone)> on_gone_;
    bool is_gone_ = false;  ///< as it was told of last
    std::string known_;     ///< as it was told of last
    std::string seen_;      ///< as it was looked at last
    boost::asio::posix::stream_descriptor events_;
    std::set<int> watches_{};  ///< of the folders on the way to the file, by inotify's numbers
    std::array<char, 4096> buffer_{};
    std::optional<io::TimerId> timer_{};
    /// Gone with this: an event that is on its way then has no effect.
    const std::shared_ptr<ConfigWatch*> self_ = std::make_shared<ConfigWatch*>(this);
};

// Whether the configuration on the disk is the one that runs, and if not, why and since when.

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
