/// Notices when a configuration file has changed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <capstan/result.hpp>

#include "io/loop.hpp"

namespace capstan::runtime {

/// Watches the file's folder, for a mounted ConfigMap is exchanged by turning a link to another
/// folder, and editors write a new file in place of the old. Lives on the loop's thread alone.
class ConfigWatch {
public:
    /// `on_change`: the content is another than before, and has been for a second. A file that is
    /// gone or empty is nothing to tell of: somebody is about to write it. Borrows the loop.
    /// `unavailable`: the folder cannot be watched.
    static Result<std::unique_ptr<ConfigWatch>> open(io::Loop& loop, std::filesystem::path file,
                                                     std::function<void()> on_change);
    ConfigWatch(const ConfigWatch&) = delete;
    ConfigWatch& operator=(const ConfigWatch&) = delete;
    /// Nobody is called afterwards.
    ~ConfigWatch();

private:
    ConfigWatch(io::Loop& loop, std::filesystem::path file, std::function<void()> on_change,
                int descriptor);
    void await_event();
    void look();
    void tell();
    std::string content() const;

    io::Loop& loop_;
    const std::filesystem::path file_;
    const std::function<void()> on_change_;
    std::string known_;  ///< as it was told of last
    std::string seen_;   ///< as it was looked at last
    boost::asio::posix::stream_descriptor events_;
    std::array<char, 4096> buffer_{};
    std::optional<io::TimerId> timer_{};
    /// Gone with this: an event that is on its way then finds nobody.
    const std::shared_ptr<ConfigWatch*> self_ = std::make_shared<ConfigWatch*>(this);
};

}  // namespace capstan::runtime
