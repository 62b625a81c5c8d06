#include "templates/image_traits.hpp"

#include <gtest/gtest.h>

namespace capstan::aws {
namespace {

TEST(ImageTraits, FollowTheAmiTypeOfEks) {
    const std::tuple<const char*, ImageFamily, const char*, const char*> cases[] = {
        {"AL2_x86_64", ImageFamily::amazon_linux_2, "linux", "amd64"},
        {"AL2_x86_64_GPU", ImageFamily::amazon_linux_2, "linux", "amd64"},
        {"AL2_ARM_64", ImageFamily::amazon_linux_2, "linux", "arm64"},
        {"AL2023_x86_64_STANDARD", ImageFamily::amazon_linux_2023, "linux", "amd64"},
        {"AL2023_ARM_64_STANDARD", ImageFamily::amazon_linux_2023, "linux", "arm64"},
        {"AL2023_x86_64_NVIDIA", ImageFamily::amazon_linux_2023, "linux", "amd64"},
        {"BOTTLEROCKET_ARM_64", ImageFamily::bottlerocket, "linux", "arm64"},
        {"BOTTLEROCKET_x86_64_NVIDIA", ImageFamily::bottlerocket, "linux", "amd64"},
        {"WINDOWS_CORE_2022_x86_64", ImageFamily::windows, "windows", "amd64"},
        {"CUSTOM", ImageFamily::unknown, "linux", ""},
        {"", ImageFamily::unknown, "linux", ""},
        {"NOT_YET_KNOWN", ImageFamily::unknown, "linux", ""}};
    for (const auto& [ami_type, family, os, arch] : cases) {
        const EksNodegroup group{.name = "web", .ami_type = ami_type};
        const ImageTraits traits = find_image_traits(nullptr, &group, ImageFamily::unknown);
        EXPECT_EQ(traits.family, family) << ami_type;
        EXPECT_EQ(traits.os, os) << ami_type;
        EXPECT_EQ(traits.arch, arch) << ami_type;
    }
}

TEST(ImageTraits, FollowTheImageNameWithoutAnAmiType) {
    const std::pair<const char*, ImageFamily> cases[] = {
        {"amazon-eks-node-1.29-v20240202", ImageFamily::amazon_linux_2},
        {"amazon-eks-gpu-node-1.29-v20240202", ImageFamily::amazon_linux_2},
        {"amazon-eks-arm64-node-1.29-v20240202", ImageFamily::amazon_linux_2},
        {"amazon-eks-node-al2023-x86_64-standard-1.31-v20261001", ImageFamily::amazon_linux_2023},
        {"bottlerocket-aws-k8s-1.31-x86_64-v1.20.0-a1b2c3d4", ImageFamily::bottlerocket},
        {"ubuntu-eks/k8s_1.29/images/hvm-ssd/ubuntu-jammy-22.04-amd64", ImageFamily::ubuntu},
        {"zalando-ubuntu-kubernetes-production", ImageFamily::unknown},
        {"", ImageFamily::unknown}};
    for (const auto& [name, family] : cases) {
        const Image image{.name = name, .architecture = "x86_64"};
        EXPECT_EQ(find_image_traits(&image, nullptr, ImageFamily::unknown).family, family) << name;
    }
}

TEST(ImageTraits, FollowTheUserDataOfACustomImage) {
    const Image image{.name = "acme-golden", .architecture = "arm64"};
    const EksNodegroup custom{.name = "web", .ami_type = "CUSTOM"};
    const ImageTraits traits = find_image_traits(&image, &custom, ImageFamily::amazon_linux_2);
    EXPECT_EQ(traits.family, ImageFamily::amazon_linux_2);
    EXPECT_EQ(traits.arch, "arm64");
    EXPECT_EQ(find_image_traits(nullptr, nullptr, ImageFamily::unknown).family,
              ImageFamily::unknown);
}

TEST(ImageTraits, IncludeTheWindowsBuild) {
    const std::pair<const char*, const char*> cases[] = {
        {"Windows_Server-2019-English-Core-EKS_Optimized-1.31-2025.01.15", "10.0.17763"},
        {"Windows_Server-2022-English-Full-EKS_Optimized-1.31-2025.01.15", "10.0.20348"},
        {"Windows_Server-2025-English-Full-EKS_Optimized-1.33-2026.01.15", "10.0.26100"},
        {"Windows_Server-2031-English-Full-EKS_Optimized-1.31-2025.01.15", ""},
        {"acme-windows", ""}};
    for (const auto& [name, build] : cases) {
        const Image image{.name = name, .architecture = "x86_64", .platform = "windows"};
        const ImageTraits traits = find_image_traits(&image, nullptr, ImageFamily::unknown);
        EXPECT_EQ(traits.os, "windows") << name;
        EXPECT_EQ(traits.windows_build, build) << name;
    }
    const EksNodegroup group{.name = "win", .ami_type = "WINDOWS_FULL_2019_x86_64"};
    EXPECT_EQ(find_image_traits(nullptr, &group, ImageFamily::unknown).windows_build, "10.0.17763");
}

TEST(ImageTraits, NameArchitecturesAsKubernetesDoes) {
    EXPECT_EQ(kubernetes_arch("x86_64"), "amd64");
    EXPECT_EQ(kubernetes_arch("arm64"), "arm64");
    EXPECT_EQ(kubernetes_arch("arm64_mac"), "arm64");
    EXPECT_EQ(kubernetes_arch("i386"), "");
    EXPECT_EQ(kubernetes_arch(""), "");
}

}  // namespace
}  // namespace capstan::aws
