#include "wire/resource_ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::gce {
namespace {

const ResourceLink zonal_group{"p", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", "web"};
const ResourceLink regional_group{
    "p", {Scope::region, "us-central1"}, "instanceGroupManagers", "web"};

TEST(ResourceIds, ParsingReversesFormatting) {
    EXPECT_EQ(group_id_of(zonal_group), "p/us-central1-a/web");
    EXPECT_EQ(*group_of_id("p/us-central1-a/web"), zonal_group);
    EXPECT_EQ(*group_of_id("p/us-central1/web"), regional_group);
    const ResourceLink of_domain{
        "example.com:p", {Scope::zone, "us-central1-ai1a"}, "instances", "web-x1y2"};
    EXPECT_EQ(machine_id_of(of_domain), "gce://example.com:p/us-central1-ai1a/web-x1y2");
    EXPECT_EQ(*instance_of_id("gce://example.com:p/us-central1-ai1a/web-x1y2"), of_domain);
}

TEST(ResourceIds, RejectsMalformedIds) {
    for (const char* text : {"", "web", "p/web", "p//web", "/us-central1-a/web", "p/us-central1-a/",
                             "p/us-central1-a/web/more"}) {
        EXPECT_FALSE(group_of_id(text)) << text;
        EXPECT_FALSE(instance_of_id(std::string("gce://") + text)) << text;
    }
    EXPECT_FALSE(instance_of_id("gce://p/us-central1/web-x1y2")) << "a machine is in a zone";
    EXPECT_FALSE(instance_of_id("aws:///us-central1-a/i-1"));
}

}  // namespace
}  // namespace capstan::gce
