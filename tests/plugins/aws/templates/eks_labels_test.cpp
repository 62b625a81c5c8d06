#include "templates/eks_labels.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EksLabels, AreThoseOfEksNodes) {
    const EksNodegroup group{.name = "web",
                             .cluster = "prod",
                             .ami_type = "AL2023_x86_64_STANDARD",
                             .capacity_type = "SPOT",
                             .version = "1.31",
                             .disk_size_gib = 20,
                             .labels = {{"team", "web"}}};
    const EksLabels read = read_eks_labels(group, "ami-1");
    EXPECT_THAT(read.warnings, IsEmpty());
    EXPECT_EQ(read.labels, (Labels{{"eks.amazonaws.com/capacityType", "SPOT"},
                                   {"eks.amazonaws.com/nodegroup", "web"},
                                   {"eks.amazonaws.com/nodegroup-image", "ami-1"},
                                   {"team", "web"}}));
}

TEST(EksLabels, OmitTheImageIfItsIdIsUnknown) {
    for (const char* image : {"", "resolve:ssm:/aws/service/eks"})
        EXPECT_EQ(read_eks_labels({.name = "web"}, image).labels,
                  (Labels{{"eks.amazonaws.com/nodegroup", "web"}}));
}

TEST(EksLabels, SkipInvalidLabels) {
    const EksLabels read = read_eks_labels({.name = "web", .labels = {{"a b", "c"}}}, "");
    EXPECT_EQ(read.labels.size(), 1u);
    EXPECT_THAT(read.warnings,
                ElementsAre(HasSubstr("node group web: \"a b=c\" is not a valid label")));
}

TEST(EksTaints, CanHaveNoValue) {
    const EksNodegroup group{.name = "web",
                             .taints = {{.key = "a", .value = "x", .effect = "NO_SCHEDULE"},
                                        {.key = "b", .effect = "NO_EXECUTE"},
                                        {.key = "c", .effect = "PREFER_NO_SCHEDULE"}}};
    const auto taints = read_eks_taints(group);
    ASSERT_TRUE(taints);
    EXPECT_THAT(*taints, ElementsAre(Taint{.key = "a", .value = "x", .effect = Effect::no_schedule},
                                     Taint{.key = "b", .effect = Effect::no_execute},
                                     Taint{.key = "c", .effect = Effect::prefer_no_schedule}));
}

TEST(EksTaints, RejectAnUnknownEffect) {
    for (const char* effect : {"", "NoSchedule", "NO_SCHEDULE_EVER"}) {
        const auto taints =
            read_eks_taints({.name = "web", .taints = {{.key = "a", .effect = effect}}});
        ASSERT_FALSE(taints) << effect;
        EXPECT_EQ(taints.error().code, ErrorCode::unsupported);
        EXPECT_THAT(taints.error().message, HasSubstr("node group web: taint \"a\""));
    }
}

}  // namespace
}  // namespace capstan::aws
