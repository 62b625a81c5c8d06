#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;
using testing::Rejection;

TEST(LabelPriorityConfig, UsesTheZalandoLabelByDefault) {
    FakeSettings settings(label_priority_schema());
    EXPECT_EQ(read_label_priority(settings.view()).label, "zalando.org/scaling-priority");
    check_label_priority(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    settings.set("label", "acme.example/tier");
    EXPECT_EQ(read_label_priority(settings.view()).label, "acme.example/tier");
}

TEST(LabelPriorityConfig, RejectsALabelWithoutAName) {
    FakeSettings settings(label_priority_schema());
    settings.set("label", "");
    check_label_priority(settings.view());
    EXPECT_THAT(settings.rejections(), ElementsAre(Rejection{"label", "must not be empty"}));
}

}  // namespace
}  // namespace capstan::expanders
