#include "config/kube_grant.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::config {
namespace {

using ::testing::HasSubstr;

bool allows(std::string_view text, const KubeAction& action) {
    const Result<KubeGrant> grant = parse_kube_grant(text);
    EXPECT_TRUE(grant) << text << ": " << grant.error().message;
    return grant && grant->allows(action);
}

TEST(KubeGrant, AllowsItsVerbsOnItsResource) {
    const char* const text = "pods:list,watch";
    EXPECT_TRUE(allows(text, {.plural = "pods", .verb = "list", .ns = "shop"}));
    EXPECT_TRUE(allows(text, {.plural = "pods", .verb = "watch"}));
    EXPECT_FALSE(allows(text, {.plural = "pods", .verb = "get", .ns = "shop"}));
    EXPECT_FALSE(allows(text, {.plural = "nodes", .verb = "list"}));
    EXPECT_FALSE(allows(text, {.group = "metrics.k8s.io", .plural = "pods", .verb = "list"}));
}

TEST(KubeGrant, AllowsItsNamespacesOnly) {
    const char* const text = "pods:list@shop,tools";
    EXPECT_TRUE(allows(text, {.plural = "pods", .verb = "list", .ns = "shop"}));
    EXPECT_TRUE(allows(text, {.plural = "pods", .verb = "list", .ns = "tools"}));
    EXPECT_FALSE(allows(text, {.plural = "pods", .verb = "list", .ns = "bank"}));
    EXPECT_FALSE(allows(text, {.plural = "pods", .verb = "list"})) << "in all namespaces";
}

TEST(KubeGrant, DistinguishesSubresourceAndResource) {
    const KubeAction scale{
        .group = "apps", .plural = "deployments", .subresource = "scale", .verb = "update"};
    KubeAction whole = scale;
    whole.subresource.clear();
    for (const char* const text :
         {"deployments.apps/scale:get,update", "deployments.apps:update/scale"}) {
        EXPECT_TRUE(allows(text, scale)) << text;
        EXPECT_FALSE(allows(text, whole)) << text;
    }
    EXPECT_FALSE(allows("deployments.apps:update", scale));
}

TEST(KubeGrant, AllowsVerbsOfResourceAndSubresources) {
    const char* const text = "balancers.balancer.x-k8s.io:get,list,watch,update/status";
    KubeAction action{.group = "balancer.x-k8s.io", .plural = "balancers", .verb = "update"};
    EXPECT_FALSE(allows(text, action));
    action.subresource = "status";
    EXPECT_TRUE(allows(text, action));
    action = {.group = "balancer.x-k8s.io", .plural = "balancers", .verb = "watch"};
    EXPECT_TRUE(allows(text, action));
}

TEST(KubeGrant, ReportsInvalidText) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "expected \"RESOURCE:VERB,VERB\""},
        {"pods", "expected \"RESOURCE:VERB,VERB\""},
        {":get", "expected a resource"},
        {"Pods:get", "expected a resource"},
        {"../pods:get", "expected a resource"},
        {"pods.:get", "\"\" is not an API group"},
        {"pods./x:get", "\"\" is not an API group"},
        {"pods.a..b:get", "\"a..b\" is not an API group"},
        {"pods.a.-b:get", "\"a.-b\" is not an API group"},
        {"pods/:get", "\"\" is not a subresource"},
        {"pods:", "\"\" is not a verb"},
        {"pods:get,", "\"\" is not a verb"},
        {"pods:*", "\"*\" is not a verb: get, list, watch, create, update, patch, delete"},
        {"pods:read", "\"read\" is not a verb"},
        {"pods:get/", "\"\" is not a subresource"},
        {"pods/status:update/status", "is given for the resource and for \"update\""},
        {"pods:get@", "\"\" is not a namespace"},
        {"pods:get@a,,b", "\"\" is not a namespace"},
        {"pods:get@Shop", "\"Shop\" is not a namespace"}};
    for (const auto& [text, message] : cases) {
        const Result<KubeGrant> grant = parse_kube_grant(text);
        ASSERT_FALSE(grant) << text;
        EXPECT_EQ(grant.error().code, ErrorCode::invalid_config) << text;
        EXPECT_THAT(grant.error().message, HasSubstr(message)) << text;
    }
}

TEST(KubeGrant, NamesTheMissingGrantOfAnAction) {
    const KubeAction actions[] = {{.plural = "nodes", .verb = "create"},
                                  {.group = "apps",
                                   .plural = "deployments",
                                   .subresource = "scale",
                                   .verb = "update",
                                   .ns = "shop"}};
    EXPECT_EQ(grant_for(actions[0]), "nodes:create");
    EXPECT_EQ(grant_for(actions[1]), "deployments.apps:update/scale@shop");
    for (const KubeAction& action : actions) EXPECT_TRUE(allows(grant_for(action), action));
}

}  // namespace
}  // namespace capstan::config
