/// `capstan run` as a process next to `capstan cluster`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"
#include "io/loop.hpp"
#include "io/process.hpp"

namespace capstan::simulator::program {

struct ClusterDaemonOptions {
    std::filesystem::path config{}, state{};
    std::filesystem::path log{};  ///< the daemon's output is appended to this file
    /// Called once, on the loop's thread, when the daemon has ended: "ended with exit code 1".
    std::function<void(const std::string& how)> ended{};
};
/// Starts the daemon. It ends when the returned object is destroyed, and when this process ends,
/// even by a signal.
Result<std::unique_ptr<io::ProgramProcess>> start_cluster_daemon(io::Loop& loop,
                                                                 ClusterDaemonOptions options);

// The files that kubectl and a daemon need in order to talk to `capstan cluster`.

/// A folder with `kubeconfig` and `capstan.toml`. A temporary folder is removed with this object.
class ClusterFolder {
public:
    /// Makes the folder `wanted` unless it exists; if `wanted` is empty, makes a temporary folder.
    /// The error names the folder.
    static Result<ClusterFolder> make(const std::filesystem::path& wanted);
    ClusterFolder(ClusterFolder&& from) noexcept;
    ClusterFolder& operator=(ClusterFolder&&) = delete;
    ~ClusterFolder();

    std::filesystem::path kubeconfig() const { return path_ / "kubeconfig"; }
    std::filesystem::path config() const { return path_ / "capstan.toml"; }
    std::filesystem::path state() const { return path_ / "state"; }
    std::filesystem::path log() const { return path_ / "capstan.log"; }

private:
    ClusterFolder(std::filesystem::path path, bool is_temporary)
        : path_(std::move(path)), is_temporary_(is_temporary) {}

    std::filesystem::path path_;
    bool is_temporary_;
};

// A port for a server that another process starts later.

/// While a reservation lives, other reservations get other ports, and a server may listen on the
/// reserved port, any number of times.
class ReservedPort {
public:
    /// Reserves the port `wanted` if it is neither listened on nor reserved, else any free port.
    static Result<ReservedPort> take(boost::asio::io_context& io, const std::string& address,
                                     std::uint16_t wanted);

    std::uint16_t port() const noexcept { return port_; }

private:
    explicit ReservedPort(boost::asio::ip::tcp::acceptor bound)
        : bound_(std::move(bound)), port_(bound_.local_endpoint().port()) {}

    boost::asio::ip::tcp::acceptor bound_;  ///< never listens
    io::CloseOnFork on_fork_{bound_.native_handle()};
    std::uint16_t port_;
};

}  // namespace capstan::simulator::program
