#include "engine/scheduling/predicates/node_ports.hpp"

#include <string_view>

namespace capstan::engine::scheduling {
namespace {

constexpr std::string_view every_address = "0.0.0.0";

std::string_view address(const snapshot::HostPort& port) noexcept {
    return port.ip.empty() ? every_address : std::string_view(port.ip);
}

std::string_view protocol(const snapshot::HostPort& port) noexcept {
    return port.protocol.empty() ? std::string_view("TCP") : std::string_view(port.protocol);
}

std::string port_text(const snapshot::HostPort& port) {
    const std::string number = std::to_string(port.port) + "/" + std::string(protocol(port));
    return address(port) == every_address ? number : port.ip + ":" + number;
}

}  // namespace

bool in_conflict(const snapshot::HostPort& a, const snapshot::HostPort& b) noexcept {
    if (a.port <= 0 || a.port != b.port || protocol(a) != protocol(b)) return false;
    return address(a) == address(b) || address(a) == every_address || address(b) == every_address;
}

std::optional<std::string> check_node_ports(std::span<const snapshot::HostPort> wanted,
                                            std::span<const snapshot::HostPort> taken) {
    for (const snapshot::HostPort& want : wanted) {
        for (const snapshot::HostPort& have : taken) {
            if (!in_conflict(want, have)) continue;
            return "node(s) didn't have free ports for the requested pod ports: wants " +
                   port_text(want) + ", " + port_text(have) + " is in use";
        }
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling
