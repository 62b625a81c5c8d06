/// Watches the configuration file, and tells whether the configuration on the disk is in force.
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

namespace capstan::autoscaler::daemon {

/// Watches the folder of the file, since editors replace files, and the folder of every symbolic
/// link on the way to the file: a mounted ConfigMap is updated by replacing one of these links.
/// Follows links that are replaced. Used on the loop's thread alone.
class ConfigWatch {
public:
    /// `on_change` is called when the content differs from the known one, and has not changed for a
    /// second. `on_gone` is called when there has been no file, or an empty one, for a second, and
    /// when there is a file again; on_change follows if the content of that file differs. `known`:
    /// the content that was read, since the file may have changed meanwhile; empty: the present
    /// content. Borrows the loop. `unavailable`: the folder of `file` cannot be watched. Folders of
    /// links are watched as far as possible.
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
    void notify();
    void notify_in(Duration delay);
    std::string content() const;

    io::Loop& loop_;
    const std::filesystem::path file_;
    const std::function<void()> on_change_;
    const std::function<void(bool is_gone)> on_gone_;
    bool is_gone_ = false;  ///< as reported last
    std::string known_;     ///< the content as reported last
    std::string seen_;      ///< the content at the last look
    boost::asio::posix::stream_descriptor events_;
    std::set<int> watches_{};  ///< inotify's numbers of the watched folders
    std::array<char, 4096> buffer_{};
    std::optional<io::TimerId> timer_{};
    /// For callbacks: they do nothing once this object is destroyed.
    const std::shared_ptr<ConfigWatch*> self_ = std::make_shared<ConfigWatch*>(this);
};

/// Whether the configuration on the disk is in force, and if not, why and since when. A value.
/// Times are of the wall clock.
struct ConfigStatus {
    Time taken_over{};                   ///< at the start, or by the last successful reload
    std::string hash{};                  ///< SHA-256 of the printed configuration in force
    std::string refusal{};               ///< the mistakes of the file as it is now; empty: none
    std::vector<std::string> waiting{};  ///< keys that wait for a restart
    bool is_gone = false;                ///< there is no file, or it is empty
    bool is_unread = false;              ///< the file has changed, and waits for SIGHUP
    std::optional<Time> since{};         ///< since when it is not in force; absent: it is

    bool is_in_force() const noexcept { return !since; }
    /// Why the file is not in force, in one line; empty: it is in force.
    std::string because() const;
};

/// Keeps the ConfigStatus up to date. [any thread]
class ConfigStatusKeeper {
public:
    /// Called at each change, by the thread that makes it.
    using OnChange = std::function<void(bool is_in_force, Time taken_over)>;
    explicit ConfigStatusKeeper(OnChange on_change) : on_change_(std::move(on_change)) {}

    /// The configuration `toml` is in force from now on, except for the keys in `waiting`.
    void take_over(const std::string& toml, std::vector<std::string> waiting, Time now);
    /// The file agrees with the configuration in force, except for the keys in `waiting`.
    void confirm(std::vector<std::string> waiting, Time now);
    void refuse(std::string complaint, Time now);
    void set_gone(bool is_gone, Time now);
    /// The file has changed, and is not read before SIGHUP.
    void leave_unread(Time now);
    ConfigStatus status() const;

private:
    void settle(Time now);

    const OnChange on_change_;
    mutable std::mutex mutex_;
    ConfigStatus status_{};
};

}  // namespace capstan::autoscaler::daemon
