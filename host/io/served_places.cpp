#include "io/served_places.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

namespace capstan::io {

std::string peer_key(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    if (address.is_v4()) return address.to_string();
    const ip::address_v6 v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    ip::address_v6::bytes_type prefix = v6.to_bytes();
    std::fill(prefix.begin() + 8, prefix.end(), static_cast<unsigned char>(0));
    return ip::address_v6(prefix).to_string() + "/64";
}

std::size_t ServedPlaces::count_of(const std::string& peer) const {
    return static_cast<std::size_t>(std::ranges::count(taken_, peer, &Taken::peer));
}

void ServedPlaces::forget_gone() {
    std::erase_if(taken_, [](const Taken& taken) { return taken.connection.expired(); });
}

void ServedPlaces::make_room(const std::string& peer) {
    forget_gone();
    while (!taken_.empty() && count_of(peer) >= limits_.per_peer && count_of(peer) > 0)
        close_one(&peer);
    while (!taken_.empty() && taken_.size() >= limits_.total) close_one(nullptr);
}

void ServedPlaces::add(std::string peer, const std::shared_ptr<ServedConnection>& connection) {
    forget_gone();
    taken_.push_back({std::move(peer), connection});
}

/// `peer` NULL: whosever it is.
void ServedPlaces::close_one(const std::string* peer) {
    std::map<std::string_view, std::size_t> counts;
    for (const Taken& taken : taken_) ++counts[taken.peer];
    using Rank = std::tuple<ServedConnection::Stage, std::size_t, std::chrono::nanoseconds>;
    auto chosen = taken_.end();
    Rank least{};
    for (auto at = taken_.begin(); at != taken_.end(); ++at) {
        if (peer != nullptr && at->peer != *peer) continue;
        const auto connection = at->connection.lock();
        const Rank rank = connection ? Rank{connection->stage(), taken_.size() - counts[at->peer],
                                            connection->since().time_since_epoch()}
                                     : Rank{};
        if (chosen != taken_.end() && least <= rank) continue;
        chosen = at;
        least = rank;
    }
    if (chosen == taken_.end()) return;
    if (const auto connection = chosen->connection.lock()) connection->close();
    taken_.erase(chosen);
}

void ServedPlaces::bound_unsent() {
    forget_gone();
    std::size_t unsent = 0;
    std::vector<std::pair<ServedConnection::Clock::time_point, std::shared_ptr<ServedConnection>>>
        sending;
    for (const Taken& taken : taken_) {
        auto connection = taken.connection.lock();
        if (!connection || connection->unsent() == 0) continue;
        unsent += connection->unsent();
        sending.emplace_back(connection->since(), std::move(connection));
    }
    std::ranges::sort(sending, {}, [](const auto& each) { return each.first; });
    for (const auto& [since, connection] : sending) {
        if (unsent <= limits_.unsent) return;
        unsent -= std::min(unsent, connection->unsent());
        connection->close();
    }
}

void ServedPlaces::close_all() {
    for (const Taken& taken : taken_)
        if (const auto connection = taken.connection.lock()) connection->close();
    taken_.clear();
}

}  // namespace capstan::io
