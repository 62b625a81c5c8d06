#include "templates/node_image.hpp"

#include <gmock/gmock.h>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

NodeImage image_of(const TemplateSources& sources, const std::string& variables = "x=y") {
    std::vector<std::string> warnings;
    const auto out = find_node_image(sources, env_of(variables), warnings);
    EXPECT_TRUE(out);
    EXPECT_THAT(warnings, IsEmpty());
    return out ? *out : NodeImage();
}

GceImage image_named(const std::string& name, const std::string& arch = {}) {
    return {.link = {"p", {}, "images", name}, .arch = arch};
}

TEST(GceNodeImages, AreContainerOptimizedOsOnAmd64ByDefault) {
    EXPECT_EQ(image_of(usual_sources()), NodeImage());
}

TEST(GceNodeImages, FollowKubeEnv) {
    EXPECT_EQ(image_of(usual_sources(), "os=linux;os_distribution=ubuntu;arch=arm64"),
              (NodeImage{.distribution = Distribution::ubuntu, .arch = "arm64"}));
    EXPECT_EQ(image_of(usual_sources(), "os_distribution=cos_containerd").distribution,
              Distribution::cos);
    EXPECT_EQ(image_of(usual_sources(), "os=windows;os_distribution=windows_ltsc"),
              (NodeImage{.os = "windows", .distribution = Distribution::windows}));
}

TEST(GceNodeImages, PreferKubeEnvToImageToMachineFamilyForTheArchitecture) {
    TemplateSources sources = usual_sources();
    sources.instance_template.machine_type = "t2a-standard-4";
    sources.machine_type.reset();
    EXPECT_EQ(image_of(sources).arch, "arm64") << "by the family";
    sources.image = image_named("cos-arm64-stable", "arm64");
    sources.instance_template.machine_type = "n9-standard-4";
    EXPECT_EQ(image_of(sources).arch, "arm64") << "by the image";
    EXPECT_EQ(image_of(sources, "arch=amd64").arch, "amd64") << "kube-env has priority";
}

TEST(GceNodeImages, AreRecognizedByName) {
    TemplateSources sources = usual_sources();
    sources.image = image_named("ubuntu-gke-2404-1-33-amd64-v20260101");
    EXPECT_EQ(image_of(sources).distribution, Distribution::ubuntu);
    sources.image = image_named("gke-1333-cos-121-v260101");
    EXPECT_EQ(image_of(sources).distribution, Distribution::cos);
    sources.image = image_named("debian-12-bookworm-v20260101");
    EXPECT_EQ(image_of(sources).distribution, Distribution::unknown);
    sources.image = image_named("windows-server-2022");
    sources.image->features = {"WINDOWS"};
    EXPECT_EQ(image_of(sources).os, "windows");
}

TEST(GceNodeImages, AreRejectedWithAnUnknownSystem) {
    std::vector<std::string> warnings;
    const auto refused = find_node_image(usual_sources(), env_of("os=plan9"), warnings);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("\"plan9\""));
}

TEST(GceNodeImages, WarnAboutUnknownValues) {
    std::vector<std::string> warnings;
    const auto image =
        find_node_image(usual_sources(), env_of("os_distribution=gentoo;arch=riscv"), warnings);
    EXPECT_EQ(*image, NodeImage());
    EXPECT_THAT(warnings, SizeIs(2));
}

}  // namespace
}  // namespace capstan::gce
