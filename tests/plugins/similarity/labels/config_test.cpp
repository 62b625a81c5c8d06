#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

#include "presets.hpp"

namespace capstan::similarity {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;
using testing::list;
using testing::Rejection;
using ::testing::SizeIs;

TEST(LabelsConfig, IgnoresGenericLabelsByDefault) {
    FakeSettings settings(labels_schema());
    check_labels(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const LabelsConfig config = read_labels(settings.view());
    EXPECT_THAT(config.ignore, SizeIs(7));
    EXPECT_TRUE(config.is_ignored("topology.kubernetes.io/zone"));
    EXPECT_FALSE(config.is_ignored("node.kubernetes.io/instance-type"));
    EXPECT_THAT(config.same, IsEmpty());
}

TEST(LabelsConfig, AddsConfiguredLabelsToEveryPreset) {
    for (const Preset& preset : presets()) {
        FakeSettings settings(labels_schema());
        settings.set("preset", std::string(preset.name))
            .set("ignore", list("team"))
            .set("same", list("pool"));
        settings.set("ignore_prefixes", list("acme/")).set("ignore_regexes", list("-id$"));
        const LabelsConfig config = read_labels(settings.view());
        EXPECT_THAT(config.ignore, SizeIs(preset.ignore.size() + 1)) << preset.name;
        EXPECT_THAT(config.same, SizeIs(preset.same.size() + 1)) << preset.name;
        for (const char* key : {"team", "acme/x", "instance-id", "kubernetes.io/hostname"}) {
            EXPECT_TRUE(config.is_ignored(key)) << preset.name << ": " << key;
        }
    }
}

TEST(LabelsConfig, HasTheExpectedNumberOfLabelsPerCloud) {
    EXPECT_THAT(find_preset("generic")->ignore, SizeIs(7));
    EXPECT_THAT(find_preset("aws")->ignore, SizeIs(7 + 7));
    EXPECT_THAT(find_preset("azure")->ignore, SizeIs(7 + 9));
    EXPECT_THAT(find_preset("azure")->same,
                ElementsAre("agentpool", "kubernetes.azure.com/agentpool"));
    EXPECT_THAT(find_preset("gce")->ignore, SizeIs(7 + 1));
    EXPECT_THAT(find_preset("proposal")->ignore, SizeIs(3));
    EXPECT_EQ(find_preset("oracle"), nullptr);
}

TEST(LabelsConfig, RejectsTheOnlySettingWithIgnoredLabels) {
    for (const char* key : {"ignore", "ignore_prefixes", "ignore_regexes"}) {
        FakeSettings settings(labels_schema());
        settings.set("only", list("team")).set(key, list("x"));
        check_labels(settings.view());
        EXPECT_THAT(
            settings.rejections(),
            ElementsAre(Rejection{key, "cannot be combined with `only`; remove one of them"}));
    }
}

TEST(LabelsConfig, RejectsIgnoringEveryLabel) {
    FakeSettings settings(labels_schema());
    settings.set("ignore_prefixes", list("acme/", "")).set("ignore_regexes", list(""));
    check_labels(settings.view());
    EXPECT_THAT(
        settings.rejections(),
        ElementsAre(Rejection{"ignore_prefixes[1]", "an empty prefix would ignore all labels"},
                    Rejection{"ignore_regexes[0]", "an empty expression would ignore all labels"}));
}

TEST(LabelsConfig, RejectsALabelWithoutAName) {
    for (const char* key : {"ignore", "only", "same"}) {
        FakeSettings settings(labels_schema());
        settings.set(key, list(""));
        check_labels(settings.view());
        EXPECT_THAT(settings.rejections(), ElementsAre(Rejection{std::string(key) + "[0]",
                                                                 "label keys must not be empty"}));
    }
}

TEST(LabelsConfig, RejectsAnInvalidRegularExpressionWithItsPath) {
    FakeSettings settings(labels_schema());
    settings.set("ignore_regexes", list("ok", "("));
    check_labels(settings.view());
    EXPECT_THAT(
        settings.rejections(),
        ElementsAre(Rejection{"ignore_regexes[1]", "regular expression \"(\": missing ): ("}));
    EXPECT_THROW(read_labels(settings.view()), Failure);
}

}  // namespace
}  // namespace capstan::similarity
