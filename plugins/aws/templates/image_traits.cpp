#include "image_traits.hpp"

#include <array>

namespace capstan::aws {
namespace {

bool has_text_part(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

/// "AL2023_x86_64_STANDARD", "BOTTLEROCKET_ARM_64", "WINDOWS_CORE_2022_x86_64", "CUSTOM".
ImageFamily family_by_ami_type(std::string_view ami_type) noexcept {
    if (ami_type.starts_with("AL2023_")) return ImageFamily::amazon_linux_2023;
    if (ami_type.starts_with("AL2_")) return ImageFamily::amazon_linux_2;
    if (ami_type.starts_with("BOTTLEROCKET_")) return ImageFamily::bottlerocket;
    if (ami_type.starts_with("WINDOWS_")) return ImageFamily::windows;
    return ImageFamily::unknown;
}

ImageFamily family_by_name(std::string_view name) noexcept {
    if (name.starts_with("amazon-eks-")) {
        return has_text_part(name, "al2023") ? ImageFamily::amazon_linux_2023
                                             : ImageFamily::amazon_linux_2;
    }
    if (name.starts_with("bottlerocket-aws-k8s-")) return ImageFamily::bottlerocket;
    if (name.starts_with("ubuntu-eks/")) return ImageFamily::ubuntu;
    return ImageFamily::unknown;
}

std::string_view arch_by_ami_type(std::string_view ami_type) noexcept {
    if (has_text_part(ami_type, "ARM_64") || has_text_part(ami_type, "arm64")) return "arm64";
    return has_text_part(ami_type, "x86_64") ? "amd64" : "";
}

std::string_view windows_build_of(std::string_view text) noexcept {
    struct Build {
        std::string_view year, number;
    };
    constexpr std::array<Build, 3> builds{
        {{"2019", "10.0.17763"}, {"2022", "10.0.20348"}, {"2025", "10.0.26100"}}};
    for (const Build& build : builds)
        if (has_text_part(text, build.year)) return build.number;
    return {};
}

/// "Windows_Server-2022-English-Full-EKS_Optimized-1.31-2025.01.15": what follows the year is a
/// date, which may have another year.
std::string_view release_part(std::string_view name) noexcept {
    constexpr std::string_view front = "Windows_Server-";
    return name.starts_with(front) ? name.substr(front.size(), 4) : std::string_view();
}

}  // namespace

std::string_view kubernetes_arch(std::string_view ec2_name) noexcept {
    if (ec2_name == "x86_64" || ec2_name == "x86_64_mac") return "amd64";
    if (ec2_name == "arm64" || ec2_name == "arm64_mac") return "arm64";
    return {};
}

ImageTraits find_image_traits(const Image* image, const EksNodegroup* nodegroup,
                              ImageFamily by_user_data) {
    const std::string_view ami_type =
        nodegroup != nullptr ? std::string_view(nodegroup->ami_type) : std::string_view();
    const std::string_view name =
        image != nullptr ? std::string_view(image->name) : std::string_view();
    ImageTraits out{.family = family_by_ami_type(ami_type)};
    // EC2 answers "windows"; the service's model documents "Windows".
    const bool is_windows =
        out.family == ImageFamily::windows ||
        (image != nullptr && (image->platform == "windows" || image->platform == "Windows"));
    if (is_windows) {
        out.family = ImageFamily::windows;
        out.os = "windows";
        out.windows_build = windows_build_of(release_part(name));
        if (out.windows_build.empty()) out.windows_build = windows_build_of(ami_type);
    }
    if (out.family == ImageFamily::unknown) out.family = family_by_name(name);
    if (out.family == ImageFamily::unknown) out.family = by_user_data;
    if (image != nullptr) out.arch = kubernetes_arch(image->architecture);
    if (out.arch.empty()) out.arch = arch_by_ami_type(ami_type);
    return out;
}

}  // namespace capstan::aws
