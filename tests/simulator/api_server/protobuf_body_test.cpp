#include "simulator/api_server/protobuf_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;

std::string varint(std::uint64_t number) {
    std::string out;
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    return out + static_cast<char>(number);
}
/// A text or a message.
std::string field(unsigned number, const std::string& content) {
    return varint(number << 3 | 2) + varint(content.size()) + content;
}
std::string field(unsigned number, std::uint64_t value) {
    return varint(number << 3) + varint(value);
}
std::string entry(const std::string& key, const std::string& value) {
    return field(1, key) + field(2, value);
}
std::string body(const std::string& version, const std::string& kind, const std::string& object) {
    return std::string("k8s\0", 4) + field(1, field(1, version) + field(2, kind)) +
           field(2, object) + field(3, "") + field(4, "");
}
std::string decoded(const std::string& bytes) {
    const auto read = parse_protobuf_body(bytes);
    return read ? json::serialize(*read)
                : std::to_string(read.error().code) + " " + read.error().message;
}

TEST(ProtobufBody, DecodesToTheSameObjectAsJson) {
    // Empty names and zero times are sent as well.
    const std::string metadata = field(1, "settings") + field(2, "") + field(3, "shop") +
                                 field(8, field(1, 0)) + field(11, entry("app", "web"));
    EXPECT_EQ(parsed(decoded(body("v1", "ConfigMap",
                                  field(1, metadata) + field(2, entry("color", "red")) +
                                      field(3, entry("icon", "\x01\x02\x03\x04"))))),
              parsed(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"color":"red"},
                         "binaryData":{"icon":"AQIDBA=="},
                         "metadata":{"name":"settings","namespace":"shop","labels":{"app":"web"}}})"));
}

TEST(ProtobufBody, DecodesADeploymentWithItsTemplate) {
    const std::string container = field(1, "main") + field(2, "web:1") +
                                  field(6, field(2, 0) + field(3, 8080)) +
                                  field(8, field(2, field(1, "cpu") + field(2, field(1, "500m"))));
    const std::string pods =
        field(1, field(11, entry("app", "web"))) + field(2, field(2, container));
    const std::string spec = field(1, 0) + field(2, field(1, entry("app", "web"))) +
                             field(3, pods) + field(4, "") + field(5, 0);
    EXPECT_EQ(parsed(decoded(body("apps/v1", "Deployment",
                                  field(1, field(1, "web")) + field(2, spec) + field(3, "")))),
              parsed(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
            "spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},
            "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main",
            "image":"web:1","ports":[{"containerPort":8080}],
            "resources":{"requests":{"cpu":"500m"}}}]}}}})"));
}

TEST(ProtobufBody, DecodesNumbersAndPercentages) {
    const auto budget = [](const std::string& bound) {
        return decoded(body("policy/v1", "PodDisruptionBudget", field(2, field(1, bound))));
    };
    EXPECT_THAT(budget(field(1, 0) + field(2, 2) + field(3, "")), HasSubstr(R"("minAvailable":2)"));
    EXPECT_THAT(budget(field(1, 1) + field(2, 0) + field(3, "50%")),
                HasSubstr(R"("minAvailable":"50%")"));
}

TEST(ProtobufBody, DecodesEachVersionOfAKind) {
    const std::string target = field(1, field(1, "Deployment") + field(2, "web"));
    const auto spec = [&](const std::string& version, const std::string& rest) {
        return decoded(body(version, "HorizontalPodAutoscaler",
                            field(2, target + field(2, 2) + field(3, 5) + rest)));
    };
    EXPECT_THAT(spec("autoscaling/v1", field(4, 50)),
                HasSubstr(R"("maxReplicas":5,"targetCPUUtilizationPercentage":50)"));
    EXPECT_THAT(spec("autoscaling/v2",
                     field(4, field(1, "Resource") +
                                  field(4, field(1, "cpu") +
                                               field(2, field(1, "Utilization") + field(4, 50))))),
                HasSubstr(R"("target":{"type":"Utilization","averageUtilization":50})"));
}

TEST(ProtobufBody, DecodesInlineMessages) {
    const std::string path = field(1, "/") + field(3, "Prefix");
    const std::string rule = field(1, "a.b") + field(2, field(1, field(1, path)));
    EXPECT_THAT(decoded(body("networking.k8s.io/v1", "Ingress", field(2, field(3, rule)))),
                HasSubstr(R"("rules":[{"host":"a.b","http":{"paths":[{"path":"/",)"));
}

TEST(ProtobufBody, RejectsUnknownKindsAndFields) {
    EXPECT_THAT(decoded(body("v1", "Widget", "")),
                HasSubstr("415 Widget cannot be decoded from protobuf"));
    EXPECT_THAT(decoded(body("v1", "ConfigMap", field(9, "new"))),
                HasSubstr("415 field 9 of ConfigMap cannot be decoded"));
    EXPECT_THAT(decoded(body("v1", "ConfigMap", field(9, ""))), HasSubstr("ConfigMap"));
}

TEST(ProtobufBody, RejectsMalformedBodies) {
    const std::string whole = body("v1", "ConfigMap", field(1, field(1, "settings")));
    for (std::size_t size = 0; size < whole.size() - 4; ++size)
        EXPECT_EQ(decoded(whole.substr(0, size)).substr(0, 1), "4") << size;
    EXPECT_THAT(decoded("{}"), HasSubstr("400 the request body is not a protobuf-encoded object"));
}

TEST_F(ApiServerTest, CreatesObjectsFromProtobuf) {
    const Response made = send("POST", "/api/v1/namespaces/default/configmaps",
                               body("v1", "ConfigMap", field(1, field(1, "settings"))),
                               "application/vnd.kubernetes.protobuf");
    EXPECT_EQ(made.status, 201);
    EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/settings").status, 200);
}

}  // namespace
}  // namespace capstan::simulator::api_server
