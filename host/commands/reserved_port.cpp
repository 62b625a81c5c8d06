#include "commands/reserved_port.hpp"

#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::commands {

using boost::asio::ip::tcp;
using boost::system::error_code;

Result<ReservedPort> ReservedPort::take(boost::asio::io_context& io, const std::string& address,
                                        std::uint16_t wanted) {
    error_code error;
    const auto ip = boost::asio::ip::make_address(address, error);
    if (error) return fail(ErrorCode::invalid_argument, in_quotes(address) + " is no IP address");
    for (const std::uint16_t port : {wanted, std::uint16_t{0}}) {
        tcp::acceptor bound(io);
        bound.open(ip.is_v6() ? tcp::v6() : tcp::v4(), error);
        // Bound for itself alone, so that two never get the same; shared from then on with a server
        // that reuses addresses, as servers do.
        if (!error) bound.bind({ip, port}, error);
        if (!error) bound.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) return ReservedPort(std::move(bound));
    }
    return fail(ErrorCode::unavailable, "no free port on " + address + ": " + error.message());
}

}  // namespace capstan::commands
