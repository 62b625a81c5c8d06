#include <capstan/taints.hpp>

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace capstan {
namespace {

using Op = Toleration::Op;

const Taint gpu{"dedicated", "gpu", Effect::no_schedule};

TEST(Toleration, ToleratesATaintLikeKubernetes) {
    struct Case {
        Toleration toleration;
        bool covers;
    };
    const std::vector<Case> cases = {
        {{"dedicated", Op::equal, "gpu", Effect::no_schedule}, true},
        {{"dedicated", Op::equal, "gpu"}, true},
        {{"dedicated", Op::equal, "gpu", Effect::no_execute}, false},
        {{"dedicated", Op::equal, "web", Effect::no_schedule}, false},
        {{"dedicated", Op::equal}, false},
        {{"dedicated", Op::exists}, true},
        {{"dedicated", Op::exists, "ignored"}, true},
        {{"other", Op::exists}, false},
        {{"", Op::exists}, true},
        {{"", Op::exists, "", Effect::no_schedule}, true},
        {{"", Op::exists, "", Effect::no_execute}, false},
        {{"dedicated", static_cast<Op>(7), "gpu"}, false},
    };
    for (const auto& [t, covers] : cases) {
        EXPECT_EQ(tolerates(t, gpu), covers)
            << t.key << " " << static_cast<int>(t.op) << " " << t.value;
    }
}

TEST(Taints, RepelPodsUnlessEachIsTolerated) {
    const std::vector<Taint> taints = {gpu, {"gone", "", Effect::no_execute}};
    const Toleration first{"dedicated", Op::equal, "gpu"}, second{"gone", Op::exists};
    EXPECT_EQ(find_untolerated(taints, {}), &taints[0]);
    EXPECT_EQ(find_untolerated(taints, {first}), &taints[1]);
    EXPECT_EQ(find_untolerated(taints, {second, first}), nullptr);
    EXPECT_EQ(find_untolerated({}, {}), nullptr);
}

TEST(Taints, DoNotRepelPodsIfTheyOnlyPrefer) {
    EXPECT_EQ(find_untolerated({{"busy", "", Effect::prefer_no_schedule}}, {}), nullptr);
}

TEST(Taints, AreWrittenInKubectlForm) {
    EXPECT_EQ(to_string(gpu), "dedicated=gpu:NoSchedule");
    EXPECT_EQ(to_string(Taint{"gone", "", Effect::no_execute}), "gone:NoExecute");
}

TEST(Taints, HaveEffectsSpelledAsInKubernetes) {
    for (const std::string_view name : {"NoSchedule", "PreferNoSchedule", "NoExecute"}) {
        ASSERT_TRUE(find_effect(name)) << name;
        EXPECT_EQ(name_of(*find_effect(name)), name);
    }
    EXPECT_FALSE(find_effect("noschedule"));
}

}  // namespace
}  // namespace capstan
