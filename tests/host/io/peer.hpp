/// A raw connection to an HttpServer, for requests that no HTTP client would send.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "io/http_server.hpp"

namespace capstan::io {

/// On loopback; each call blocks. The server runs on another thread.
struct Peer {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket{io};
    std::string unread;

    explicit Peer(const HttpServer& server) {
        socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
    }
    /// Connects from this loopback address ("127.0.0.7") with a small receive buffer.
    Peer(const HttpServer& server, const std::string& from) {
        socket.open(boost::asio::ip::tcp::v4());
        socket.set_option(boost::asio::socket_base::receive_buffer_size(4096));
        socket.bind({boost::asio::ip::make_address_v4(from), 0});
        socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
    }
    void send(std::string_view what) {
        boost::asio::write(socket, boost::asio::buffer(what.data(), what.size()));
    }
    /// Reads up to and including `end`, or all there is if the server closes first.
    std::string receive(std::string_view end) {
        boost::system::error_code error;
        const std::size_t size =
            boost::asio::read_until(socket, boost::asio::dynamic_buffer(unread), end, error);
        std::string out = unread.substr(0, error ? unread.size() : size);
        unread.erase(0, out.size());
        return out;
    }
    /// Reads until the server closes the connection.
    std::string receive_all() {
        boost::system::error_code error;
        boost::asio::read(socket, boost::asio::dynamic_buffer(unread), error);
        return std::exchange(unread, {});
    }
};

}  // namespace capstan::io
