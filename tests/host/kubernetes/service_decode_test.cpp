#include "kubernetes/object_decode.hpp"

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace capstan::kubernetes {
namespace {

using engine::snapshot::ServiceObject;

TEST(ServiceDecode, ReadsWhichPodsItSelects) {
    const ServiceObject web{.ns = "shop", .name = "web", .selector = {{"app", "web"}}};
    const ServiceObject nobody{.ns = "shop", .name = "web"};
    const struct {
        const char *name, *spec;
        ServiceObject expected;
    } cases[] = {
        {"pods", R"({"selector":{"app":"web"},"ports":[{"port":80}]})", web},
        {"headless", R"({"clusterIP":"None","selector":{"app":"web"}})", web},
        {"another name for a host, which has a selector all the same",
         R"({"type":"ExternalName","externalName":"db.example","selector":{"app":"web"}})", web},
        {"another name for a host", R"({"type":"ExternalName","externalName":"db.example"})",
         nobody},
        {"endpoints that somebody else keeps", R"({"ports":[{"port":80}]})", nobody},
        {"an empty selector", R"({"selector":{}})", nobody},
        {"null", R"({"selector":null})", nobody},
    };
    for (const auto& each : cases) {
        const auto answer = decoded(
            decode_service, std::string(R"({"metadata":{"namespace":"shop","name":"web"},)") +
                                R"("spec":)" + each.spec + "}");
        EXPECT_EQ(answer.value, each.expected) << each.name;
        EXPECT_TRUE(answer.complaints.empty()) << each.name;
    }
}

TEST(ServiceDecode, IsNothingWhereItCannotBeRead) {
    for (const char* text :
         {R"({"spec":{"selector":{"app":"web"}}})", R"({"metadata":{"name":""}})",
          R"({"metadata":{"name":"web"},"spec":{"selector":{"app":1}}})",
          R"({"metadata":{"name":"web"},"spec":{"selector":["app"]}})"}) {
        const auto answer = decoded(decode_service, text);
        EXPECT_FALSE(answer.value) << text;
        EXPECT_EQ(answer.complaints.size(), 1u) << text;
    }
}

}  // namespace
}  // namespace capstan::kubernetes
