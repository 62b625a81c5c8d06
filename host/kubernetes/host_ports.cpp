#include "kubernetes/host_ports.hpp"

#include <cstdint>
#include <string>

#include "kubernetes/pod_requests.hpp"

namespace capstan::kubernetes {
namespace {

int decode_port(const JsonPlace& port) {
    return static_cast<int>(port.integer(0, 65535).value_or(0));
}

void add_ports(const JsonPlace& container, bool host_network, std::vector<engine::HostPort>& out) {
    for (const JsonPlace& place : container["ports"].items()) {
        int port = decode_port(place["hostPort"]);
        if (port == 0 && host_network) port = decode_port(place["containerPort"]);
        if (port == 0) continue;
        out.push_back({.ip = std::string(place["hostIP"].text().value_or("")),
                       .protocol = std::string(place["protocol"].text().value_or("TCP")),
                       .port = port});
    }
}

}  // namespace

std::vector<engine::HostPort> decode_host_ports(const JsonPlace& spec) {
    const bool host_network = spec["hostNetwork"].boolean().value_or(false);
    std::vector<engine::HostPort> out;
    for (const JsonPlace& container : spec["containers"].items())
        add_ports(container, host_network, out);
    for (const JsonPlace& container : spec["initContainers"].items()) {
        if (is_sidecar(container)) add_ports(container, host_network, out);
    }
    return out;
}

}  // namespace capstan::kubernetes
