// `capstan explain` where groups could be made, as an operator asks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

Ran explain(const std::string& pod, const std::string& story, const std::string& more = {}) {
    return capstan("explain pod " + pod + " --scenario tests/scenarios/provisioning/" + story +
                   ".toml " + more);
}

TEST(ExplainProvisioning, TellsWhichGroupsCouldBeMadeAndWhyOthersWereNotTried) {
    const Ran ran = explain("default/big", "TC1");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("COULD BE MADE"),
                      HasSubstr("nodeautoprovisioning-n1-standard-16-a-9f0d78bb  for 1 pod"),
                      HasSubstr("machine type n1-standard-4"),
                      HasSubstr("not tried: no pod fits on it; default/big: needs 12 of cpu")));
}

TEST(ExplainProvisioning, NamesTheLimitThatLeavesNoRoom) {
    EXPECT_THAT(explain("default/web", "TC8").out,
                HasSubstr("not tried: cluster limit of cpu: 3 left, a node takes 4"));
}

TEST(ExplainProvisioning, TellsMachinesTheSame) {
    const Ran ran = explain("default/big", "TC1", "-o json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::array groups = json::parse(ran.out).at("new_groups").as_array();
    ASSERT_EQ(groups.size(), 2u);
}

}  // namespace
}  // namespace capstan::commands
