/// What an image makes of a machine: operating system, architecture, and how its kubelet is set up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../api/ec2.hpp"
#include "../api/eks.hpp"

namespace capstan::aws {

/// Images made for EKS, each with its own way of setting up kubelet. Any other is unknown.
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
    std::string arch{};           ///< "amd64", "arm64"; empty: the image does not tell
    std::string windows_build{};  ///< "10.0.20348"; empty: unknown, or no Windows
};

/// The type that EKS names is believed first, the image's name next, then what the user data is
/// written for: an image of one's own, made from one of these, goes by the last. NULL: not known.
ImageTraits find_image_traits(const Image* image, const EksNodegroup* nodegroup,
                              ImageFamily by_user_data);

/// As Kubernetes calls an architecture of EC2: "amd64" for "x86_64". Empty: it runs no node.
std::string_view kubernetes_arch(std::string_view ec2_name) noexcept;

}  // namespace capstan::aws
