/// A port for a server that another process starts later.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <capstan/result.hpp>

#include "io/close_on_fork.hpp"

namespace capstan::commands {

/// While it lives, other reservations get other ports, and a server that wants this very port may
/// listen on it, as often as it is started.
class ReservedPort {
public:
    /// `wanted` if it is neither listened on nor reserved, else another that is free.
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

}  // namespace capstan::commands
