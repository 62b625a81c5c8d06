#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

TEST(PodHostPorts, IncludePortsOfContainersAndSidecars) {
    using Ports = std::vector<engine::snapshot::HostPort>;
    const struct {
        const char* rule;
        const char* spec;
        Ports ports;
    } cases[] = {
        {"a container port is not a host port",
         R"({"containers":[{"ports":[{"containerPort":80}]}]})",
         {}},
        {"TCP is the default",
         R"({"containers":[{"ports":[{"containerPort":80,"hostPort":8080}]}]})",
         {{.port = 8080}}},
        {"protocol and address are read",
         R"({"containers":[{"ports":[{"hostPort":53,"protocol":"UDP","hostIP":"10.0.0.1"}]}]})",
         {{.ip = "10.0.0.1", .protocol = "UDP", .port = 53}}},
        {"sidecars count, init containers do not",
         R"({"initContainers":[{"ports":[{"hostPort":1}]},
                               {"restartPolicy":"Always","ports":[{"hostPort":2}]}]})",
         {{.port = 2}}},
        {"with host network every port is a host port",
         R"({"hostNetwork":true,"containers":[{"ports":[{"containerPort":80},{"containerPort":81,"hostPort":81}]}]})",
         {{.port = 80}, {.port = 81}}},
        {"zero is not a port", R"({"containers":[{"ports":[{"hostPort":0}]},{}]})", {}},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_host_ports, c.spec);
        EXPECT_EQ(result.value, c.ports) << c.rule;
        EXPECT_TRUE(result.problems.empty()) << c.rule;
    }
}

TEST(PodHostPorts, RejectInvalidPorts) {
    const auto result = decoded(
        decode_host_ports, R"({"containers":[{"ports":[{"hostPort":65536},{"hostPort":"80"}]}]})");
    EXPECT_TRUE(result.value.empty());
    EXPECT_EQ(result.problems,
              (std::vector<std::string>{"/containers/0/ports/0/hostPort expects an integer from 0 "
                                        "to 65535, found a number (65536)",
                                        "/containers/0/ports/1/hostPort expects an integer from 0 "
                                        "to 65535, found text (\"80\")"}));
}

}  // namespace
}  // namespace capstan::kubernetes::objects
