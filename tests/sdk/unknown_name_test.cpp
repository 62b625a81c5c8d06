#include <capstan/unknown_name.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace capstan {
namespace {

TEST(UnknownName, ListsNamesWithTheSameBeginning) {
    constexpr std::array<std::string_view, 4> known{"eu-central-1", "eu-central-2", "eu-west-1",
                                                    "us-east-1"};
    EXPECT_EQ(unknown_name("region", "eu-central-l", known),
              "unknown region \"eu-central-l\"; similar: eu-central-1, eu-central-2");
    EXPECT_EQ(unknown_name("region", "eu-west", known),
              "unknown region \"eu-west\"; similar: eu-west-1");
    EXPECT_EQ(unknown_name("region", "eu-", known), "unknown region \"eu-\"");
    EXPECT_EQ(unknown_name("region", "REGION", known), "unknown region \"REGION\"");
}

}  // namespace
}  // namespace capstan
