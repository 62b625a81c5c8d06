#include "commands/free_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace capstan::commands {

Result<std::uint16_t> find_free_port(const std::string& address, std::uint16_t wanted) {
    using boost::asio::ip::tcp;
    boost::system::error_code error;
    const auto ip = boost::asio::ip::make_address(address, error);
    boost::asio::io_context io;
    for (const std::uint16_t port : {wanted, std::uint16_t{0}}) {
        if (error) break;
        tcp::acceptor acceptor(io);
        boost::system::error_code taken;
        acceptor.open(ip.is_v6() ? tcp::v6() : tcp::v4(), error);
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        acceptor.bind({ip, port}, taken);
        if (!taken) return acceptor.local_endpoint().port();
        if (port == 0) error = taken;
    }
    return fail(ErrorCode::unavailable, "no free port on " + address + ": " + error.message());
}

}  // namespace capstan::commands
