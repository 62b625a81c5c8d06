#include "groups/group_settings.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::HasSubstr;

TEST(AwsGroupSpec, ReadsMinimumMaximumAndName) {
    EXPECT_EQ(*parse_static_group("0:10:web"), (StaticGroup{0, 10, "web"}));
    EXPECT_EQ(*parse_static_group("3:3:web/a_b.c-1"), (StaticGroup{3, 3, "web/a_b.c-1"}));
}

TEST(AwsGroupSpec, ReportsEachMistake) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"", "min:max:name"},
        {"web", "min:max:name"},
        {"1:web", "min:max:name"},
        {"a:3:web", "invalid size \"a\""},
        {"-1:3:web", "invalid size \"-1\""},
        {"1:3.5:web", "invalid size \"3.5\""},
        {"1:99999999999:web", "invalid size"},
        {"1: 3:web", "invalid size \" 3\""},
        {":3:web", "invalid size \"\""},
        {"5:3:web", "minimum 5 is above maximum 3"},
        {"1:3:", "has no group name"},
        {"1:3:we b", "without blanks and colons"},
        {"1:3:we:b", "without blanks and colons"}};
    for (const auto& [text, message] : cases) {
        const auto group = parse_static_group(text);
        ASSERT_FALSE(group) << text;
        EXPECT_THAT(group.error().message, HasSubstr(message)) << text;
    }
    EXPECT_FALSE(parse_static_group("0:1:" + std::string(256, 'a')));
    EXPECT_TRUE(parse_static_group("0:1:" + std::string(255, 'a')));
}

TEST(AwsGroupSpec, ReadsTagsWithAndWithoutValues) {
    using Tags = std::vector<TagFilter>;
    EXPECT_EQ(*parse_tag_expression("k"), (Tags{{.key = "k"}}));
    EXPECT_EQ(*parse_tag_expression("k=v"), (Tags{{.key = "k", .value = "v"}}));
    EXPECT_EQ(*parse_tag_expression("k=v,l=w=x,m="), (Tags{{.key = "k", .value = "v"},
                                                           {.key = "l", .value = "w=x"},
                                                           {.key = "m", .value = ""}}));
    EXPECT_EQ(*parse_tag_expression("asg:tag=k8s.io/cluster-autoscaler/enabled,k=v"),
              (Tags{{.key = "k8s.io/cluster-autoscaler/enabled"}, {.key = "k", .value = "v"}}));
}

TEST(AwsGroupSpec, RejectsAnExpressionWithoutAKey) {
    for (const char* text : {"", "asg:tag=", "=v", "k,,l", "k,", ",k"})
        EXPECT_FALSE(parse_tag_expression(text)) << text;
}

TEST(AwsGroupSpec, RejectsAMalformedPrefix) {
    for (const char* text : {"mig:tag=a", "asg:=tag", "asg:tag", "asg:tags=a", "label:tag=a"}) {
        const auto tags = parse_tag_expression(text);
        ASSERT_FALSE(tags) << text;
        EXPECT_THAT(tags.error().message, HasSubstr("expected the prefix asg:tag=")) << text;
    }
    EXPECT_EQ(parse_tag_expression("asg:tag=mig:a")->front().key, "mig:a");
    EXPECT_TRUE(parse_tag_expression("eks:cluster-name=prod"));
    for (const char* text : {" k", "k =v", "k, l"})
        EXPECT_FALSE(parse_tag_expression(text)) << text;
}

TEST(AwsGroupSpec, FormatsTagsAsTheyAreWritten) {
    for (const char* text : {"k", "k=v", "k=v,l,m="})
        EXPECT_EQ(format_tags(*parse_tag_expression(text)), text);
}

}  // namespace
}  // namespace capstan::aws
