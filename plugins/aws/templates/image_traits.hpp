/// What an image determines: operating system, architecture, and how kubelet is configured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../api/ec2.hpp"
#include "../api/eks.hpp"

namespace capstan::aws {

/// Families of images made for EKS, each with its own way of configuring kubelet. Every other image
/// is `unknown`.
enum class ImageFamily : std::uint8_t {
    unknown,
    amazon_linux_2,
    amazon_linux_2023,
    bottlerocket,
    ubuntu,
    windows
};

struct ImageTraits {
    ImageFamily family = ImageFamily::unknown;
    std::string os = "linux";     ///< or "windows"
    std::string arch{};           ///< "amd64", "arm64"; empty: unknown
    std::string windows_build{};  ///< "10.0.20348"; empty: unknown, or not Windows
};

/// The family is that of the node group's AMI type, else of the image's platform (Windows) or name,
/// else the family that the user data is written for. The user data covers custom images that are
/// built from one of these families. `image` and `nodegroup` may be NULL.
ImageTraits find_image_traits(const Image* image, const EksNodegroup* nodegroup,
                              ImageFamily by_user_data);

/// Kubernetes' name of an architecture of EC2: "amd64" for "x86_64". Empty if no node runs on it.
std::string_view kubernetes_arch(std::string_view ec2_name) noexcept;

}  // namespace capstan::aws
