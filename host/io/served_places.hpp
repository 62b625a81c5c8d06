/// The places of a server that makes room: whose connection is closed so that the next one fits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "io/served_connection.hpp"

namespace capstan::io {

/// What counts as one peer: an IPv4 address, also one that came over IPv6, or the /64 that an IPv6
/// address is in, for a single machine has all of that.
///     10.0.0.7 and ::ffff:10.0.0.7 -> "10.0.0.7"        2001:db8::1 -> "2001:db8::/64"
std::string peer_key(const boost::asio::ip::address& address);

/// No connection can be told from a probe before a request has come, so none is refused: a new
/// connection takes the place of the one that has the least to lose. First those that are kept for
/// a next request, then those whose request is not whole, then those that do not read their answer,
/// last those whose answer is being made; of equals, those of the peer that has the most, and of
/// these the one that has been so for the longest. So a crowd of silent connections displaces its
/// own. Used on one strand.
class ServedPlaces {
public:
    struct Limits {
        std::size_t total = 0;
        std::size_t per_peer = 0;
        std::size_t unsent = 0;  ///< bytes of answers that wait for their peers
    };
    explicit ServedPlaces(Limits limits) : limits_(limits) {}

    /// Closes what stands in the way of one more connection of that peer.
    void make_room(const std::string& peer);
    void add(std::string peer, const std::shared_ptr<ServedConnection>& connection);
    /// Closes connections whose peers have not read their answers for the longest, until the rest
    /// is within the limit.
    void bound_unsent();
    void close_all();
    std::size_t size() const noexcept { return taken_.size(); }

private:
    struct Taken {
        std::string peer;
        std::weak_ptr<ServedConnection> connection;
    };
    std::size_t count_of(const std::string& peer) const;
    void forget_gone();
    void close_one(const std::string* peer);

    const Limits limits_;
    std::vector<Taken> taken_{};
};

}  // namespace capstan::io
