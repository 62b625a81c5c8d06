#include "config/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

using ::testing::ElementsAre;

TEST(ShippedPlugins, AreFoundInTheirFolders) {
    const ShippedFolder folder{"aws.so",
                               "expanders/random.so",
                               "similarity/labels.so",
                               "balancer/node_groups.so",
                               "elsewhere/hidden.so",
                               "README.md"};
    const ShippedPlugins shipped = folder.plugins();
    EXPECT_EQ(shipped.find("aws"), folder.root() / "aws.so");
    EXPECT_EQ(shipped.find("random"), folder.root() / "expanders/random.so");
    EXPECT_EQ(shipped.find("node_groups"), folder.root() / "balancer/node_groups.so");
    EXPECT_EQ(shipped.find("hidden"), std::nullopt);
    EXPECT_THAT(shipped.names(), ElementsAre("aws", "labels", "node_groups", "random"));
}

TEST(ShippedPlugins, HaveNamesNotPaths) {
    const ShippedFolder folder{"expanders/random.so"};
    for (const char* name : {"", ".", "..", "expanders/random", "../x", "random.so", "ran dom"}) {
        EXPECT_EQ(folder.plugins().find(name), std::nullopt) << name;
    }
    EXPECT_EQ(folder.plugins().find(std::string("random\0", 7)), std::nullopt);
}

TEST(ShippedPlugins, AreEmptyWithoutAFolder) {
    EXPECT_EQ(ShippedPlugins("").find("random"), std::nullopt);
    EXPECT_THAT(ShippedPlugins("/no/such/folder").names(), ElementsAre());
}

}  // namespace
}  // namespace capstan::config
