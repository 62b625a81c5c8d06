#include "kubernetes/pod_decode.hpp"

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace capstan::kubernetes {
namespace {

TEST(HostPorts, AreThoseOfContainersAndSidecars) {
    using Ports = std::vector<engine::snapshot::HostPort>;
    const struct {
        const char* rule;
        const char* spec;
        Ports ports;
    } cases[] = {
        {"a port of the container alone is none",
         R"({"containers":[{"ports":[{"containerPort":80}]}]})",
         {}},
        {"TCP is the default",
         R"({"containers":[{"ports":[{"containerPort":80,"hostPort":8080}]}]})",
         {{.port = 8080}}},
        {"protocol and address count",
         R"({"containers":[{"ports":[{"hostPort":53,"protocol":"UDP","hostIP":"10.0.0.1"}]}]})",
         {{.ip = "10.0.0.1", .protocol = "UDP", .port = 53}}},
        {"a sidecar's counts, an init container's does not",
         R"({"initContainers":[{"ports":[{"hostPort":1}]},
                               {"restartPolicy":"Always","ports":[{"hostPort":2}]}]})",
         {{.port = 2}}},
        {"in the node's network every port is one",
         R"({"hostNetwork":true,"containers":[{"ports":[{"containerPort":80},{"containerPort":81,"hostPort":81}]}]})",
         {{.port = 80}, {.port = 81}}},
        {"zero is none", R"({"containers":[{"ports":[{"hostPort":0}]},{}]})", {}},
    };
    for (const auto& c : cases) {
        const auto answer = decoded(decode_host_ports, c.spec);
        EXPECT_EQ(answer.value, c.ports) << c.rule;
        EXPECT_TRUE(answer.complaints.empty()) << c.rule;
    }
}

TEST(HostPorts, OutsideOfWhatPortsCanBeAreComplainedAbout) {
    const auto answer = decoded(
        decode_host_ports, R"({"containers":[{"ports":[{"hostPort":65536},{"hostPort":"80"}]}]})");
    EXPECT_TRUE(answer.value.empty());
    EXPECT_EQ(answer.complaints,
              (std::vector<std::string>{"/containers/0/ports/0/hostPort expects an integer from 0 "
                                        "to 65535, found a number (65536)",
                                        "/containers/0/ports/1/hostPort expects an integer from 0 "
                                        "to 65535, found text (\"80\")"}));
}

}  // namespace
}  // namespace capstan::kubernetes
