/// Notices when a configuration file has changed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <capstan/result.hpp>

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

}  // namespace capstan::runtime::daemon
