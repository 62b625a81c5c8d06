#include "wire/resource_link.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::gce {
namespace {

const ResourceLink web{"shop", {Scope::zone, "us-central1-a"}, "instances", "web-x1y2"};

TEST(ResourceLinks, AreReadWithAnyHostAndVersion) {
    for (const std::string front :
         {"", "https://www.googleapis.com/compute/v1/",
          "https://compute.googleapis.com/compute/beta/", "http://127.0.0.1:8080/compute/v1/",
          "//compute.googleapis.com/", "/compute/v1/"}) {
        const auto link =
            parse_link(front + "projects/shop/zones/us-central1-a/instances/web-x1y2");
        ASSERT_TRUE(link) << front;
        EXPECT_EQ(*link, web) << front;
    }
}

TEST(ResourceLinks, BelongToZonesRegionsOrGlobal) {
    EXPECT_EQ(*parse_link("projects/p/regions/r/instanceGroupManagers/m"),
              (ResourceLink{"p", {Scope::region, "r"}, "instanceGroupManagers", "m"}));
    EXPECT_EQ(*parse_link("projects/p/global/instanceTemplates/t"),
              (ResourceLink{"p", {}, "instanceTemplates", "t"}));
    EXPECT_EQ(*parse_link("projects/p/global/images/family/debian-12"),
              (ResourceLink{"p", {}, "images", "family/debian-12"}));
    EXPECT_EQ(parse_link("projects/example.com:web/zones/z/instances/i")->project,
              "example.com:web");
}

TEST(ResourceLinks, AreWrittenAsTheyAreRead) {
    for (const std::string path :
         {"projects/shop/zones/us-central1-a/instances/web-x1y2",
          "projects/p/global/images/family/f", "projects/p/regions/r/instanceGroupManagers/m",
          "projects/example.com%3Aweb/global/images/i"})
        EXPECT_EQ(parse_link(path)->path(), path);
}

TEST(ResourceLinks, AreRejectedIfMalformed) {
    for (const std::string text :
         {"", "projects", "projects/", "projects/p", "projects/p/zones/z",
          "projects/p/zones/z/instances", "projects/p/global/images", "zones/z/instances/i",
          "projects/p/planets/x/instances/i", "projects//zones/z/instances/i",
          "projects/p/zones/../instances/i", "projects/p/zones/z/instances/%zz",
          "projects/p/zones/z/instances/a/b/c/d/e", "projects/p/global/images/a%2F..%2Fb"}) {
        const auto link = parse_link(text);
        ASSERT_FALSE(link) << text;
        EXPECT_EQ(link.error().code, ErrorCode::invalid_argument);
    }
}

TEST(ResourceLinks, HaveALastPartAndARegion) {
    EXPECT_EQ(last_part("https://a/b/machineTypes/n1-standard-1"), "n1-standard-1");
    EXPECT_EQ(last_part("n1-standard-1"), "n1-standard-1");
    EXPECT_EQ(last_part(""), "");
    EXPECT_EQ(region_of_zone("us-central1-a"), "us-central1");
    EXPECT_EQ(region_of_zone("local"), "local");
}

}  // namespace
}  // namespace capstan::gce
