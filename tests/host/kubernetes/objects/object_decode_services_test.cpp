#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using engine::snapshot::ServiceObject;

TEST(ServiceDecode, ReadsTheSelector) {
    const ServiceObject web{.ns = "shop", .name = "web", .selector = {{"app", "web"}}};
    const ServiceObject no_selector{.ns = "shop", .name = "web"};
    const struct {
        const char *name, *spec;
        ServiceObject expected;
    } cases[] = {
        {"pods", R"({"selector":{"app":"web"},"ports":[{"port":80}]})", web},
        {"headless", R"({"clusterIP":"None","selector":{"app":"web"}})", web},
        {"an ExternalName service with a selector",
         R"({"type":"ExternalName","externalName":"db.example","selector":{"app":"web"}})", web},
        {"an ExternalName service", R"({"type":"ExternalName","externalName":"db.example"})",
         no_selector},
        {"a service with manual endpoints", R"({"ports":[{"port":80}]})", no_selector},
        {"an empty selector", R"({"selector":{}})", no_selector},
        {"null", R"({"selector":null})", no_selector},
    };
    for (const auto& each : cases) {
        const auto result = decoded(
            decode_service, std::string(R"({"metadata":{"namespace":"shop","name":"web"},)") +
                                R"("spec":)" + each.spec + "}");
        EXPECT_EQ(result.value, each.expected) << each.name;
        EXPECT_TRUE(result.problems.empty()) << each.name;
    }
}

TEST(ServiceDecode, RejectsMalformedServices) {
    for (const char* text :
         {R"({"spec":{"selector":{"app":"web"}}})", R"({"metadata":{"name":""}})",
          R"({"metadata":{"name":"web"},"spec":{"selector":{"app":1}}})",
          R"({"metadata":{"name":"web"},"spec":{"selector":["app"]}})"}) {
        const auto result = decoded(decode_service, text);
        EXPECT_FALSE(result.value) << text;
        EXPECT_EQ(result.problems.size(), 1u) << text;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
