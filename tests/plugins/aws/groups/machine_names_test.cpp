#include "groups/machine_names.hpp"

#include <gtest/gtest.h>

namespace capstan::aws {
namespace {

TEST(AwsMachineNames, ContainZoneAndId) {
    EXPECT_EQ(machine_id_of("eu-central-1a", "i-1"), "aws:///eu-central-1a/i-1");
    EXPECT_EQ(instance_id_of("aws:///eu-central-1a/i-1"), "i-1");
    EXPECT_EQ(instance_id_of("aws:///us-west-2-lax-1a/i-1"), "i-1");
    for (const char* text : {"", "i-1", "gce:///a/i-1", "aws:///", "aws:///i-1", "aws://a"})
        EXPECT_EQ(instance_id_of(text), "") << text;
}

TEST(AwsMachineNames, ContainTheGroupOfAPlaceholder) {
    EXPECT_EQ(placeholder_of("web", 3), "i-placeholder-web-3");
    EXPECT_EQ(ordinal_of("i-placeholder-web-3", "web"), 3);
    EXPECT_EQ(ordinal_of("i-placeholder-web-3-0", "web-3"), 0);
    for (const char* text : {"i-placeholder-web-", "i-placeholder-web-x", "i-placeholder-web--1",
                             "i-placeholder-db-3", "i-placeholder-web3", "i-3", ""})
        EXPECT_EQ(ordinal_of(text, "web"), std::nullopt) << text;
}

}  // namespace
}  // namespace capstan::aws
