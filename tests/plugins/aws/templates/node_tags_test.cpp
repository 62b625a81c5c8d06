#include "templates/node_tags.hpp"

#include <gmock/gmock.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NodeTags, AreLabelsTaintsAndResourcesWithUpstreamKeys) {
    const NodeTags read = read_node_tags({{tag("label/team"), "web"},
                                          {tag("label/example.com/tier"), ""},
                                          {tag("taint/dedicated"), "gpu:NoSchedule"},
                                          {tag("resources/ephemeral-storage"), "100Gi"},
                                          {tag("resources/cpu"), "1500m"},
                                          {tag("resources/example.com/dongle"), "3"}});
    EXPECT_THAT(read.warnings, IsEmpty());
    EXPECT_EQ(read.labels, (Labels{{"example.com/tier", ""}, {"team", "web"}}));
    EXPECT_THAT(read.taints, ElementsAre(Taint{.key = "dedicated", .value = "gpu"}));
    EXPECT_EQ(
        read.resources,
        (Resources{{"cpu", 1500_mcpu}, {"ephemeral-storage", 100_GiB}, {"example.com/dongle", 3}}));
}

TEST(NodeTags, ReadTaintsWithAndWithoutAValue) {
    const std::pair<const char*, Taint> cases[] = {
        {"gpu:NoSchedule", {.value = "gpu", .effect = Effect::no_schedule}},
        {":NoExecute", {.effect = Effect::no_execute}},
        {"NoExecute", {.effect = Effect::no_execute}},
        {"true:PreferNoSchedule", {.value = "true", .effect = Effect::prefer_no_schedule}}};
    for (const auto& [written, expected] : cases) {
        Taint taint = expected;
        taint.key = "example.com/dedicated";
        const NodeTags read = read_node_tags({{tag("taint/example.com/dedicated"), written}});
        EXPECT_THAT(read.taints, ElementsAre(taint)) << written;
    }
}

TEST(NodeTags, SkipInvalidTagsWithAReason) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"taint/dedicated", "gpu", "has no effect"},
        {"taint/dedicated", "", "has no effect"},
        {"taint/dedicated", "a:NoScheduleX", "has no effect"},
        {"taint/dedicated", "a:noschedule", "has no effect"},
        {"taint/dedicated", "a:b:NoSchedule", "has characters other than letters"},
        {"taint/", "NoSchedule", "is empty"},
        {"taint/-x", "NoSchedule", "does not begin with a letter"},
        {"label/", "x", "is empty"},
        {"label/a b", "x", "has characters other than letters"},
        {"label/team", "not a value", "has characters other than letters"},
        {"label/Example.com/team", "x", "is not a DNS name"},
        {"resources/cpu", "many", "quantity \"many\""},
        {"resources/cpu", "", "quantity \"\""},
        {"resources/cpu", "-1", "is negative"},
        {"resources/", "1", "is empty"}};
    for (const auto& [key, value, why] : cases) {
        const NodeTags read = read_node_tags({{tag(key), value}, {tag("label/good"), "yes"}});
        ASSERT_EQ(read.warnings.size(), 1u) << key << "=" << value;
        EXPECT_THAT(read.warnings[0], HasSubstr("tag " + tag(key) + ": "));
        EXPECT_THAT(read.warnings[0], HasSubstr(why));
        EXPECT_THAT(read.taints, IsEmpty()) << key;
        EXPECT_EQ(read.resources, Resources{}) << key;
        EXPECT_EQ(read.labels, (Labels{{"good", "yes"}})) << key;
    }
}

TEST(NodeTags, AreNotFoundInTheMiddleOfAKey) {
    const NodeTags read = read_node_tags({{"my-" + tag("label/team"), "web"},
                                          {"k8s.io/cluster-autoscaler/enabled", ""},
                                          {"eks:cluster-name", "prod"},
                                          {tag("labels/team"), "web"},
                                          {"Name", "web"}});
    EXPECT_EQ(read.labels, Labels{});
    EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(NodeTags, IgnoreLabelsIfOnlyResourcesAreRead) {
    const ResourceTags read = read_resource_tags({{tag("label/team"), "not a value"},
                                                  {tag("resources/memory"), "1Gi"},
                                                  {tag("resources/cpu"), "x"}});
    EXPECT_EQ(read.resources, (Resources{{"memory", 1_GiB}}));
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr(tag("resources/cpu"))));
}

TEST(NodeTags, AreDistinguishedFromOtherTags) {
    for (const auto& key :
         {tag("label/a"), tag("taint/a"), tag("resources/a"), std::string("eks:nodegroup-name")})
        EXPECT_TRUE(is_template_tag(key)) << key;
    for (const auto& key : {tag("autoscaling-options/a"), std::string("Name"), std::string()})
        EXPECT_FALSE(is_template_tag(key)) << key;
}

}  // namespace
}  // namespace capstan::aws
