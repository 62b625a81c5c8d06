#include "node_image.hpp"

#include <algorithm>
#include <optional>

#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

/// A variable that cannot be read is absent and causes a warning.
std::optional<std::string> given_variable(const KubeEnv& env, std::string_view name,
                                          std::vector<std::string>& warnings) {
    Result<std::optional<std::string>> out = env.find_autoscaler_variable(name);
    if (out) return *std::move(out);
    warnings.push_back("kube-env: " + out.error().message);
    return std::nullopt;
}

Distribution distribution_of(std::string_view word) noexcept {
    if (word == "cos" || word == "cos_containerd") return Distribution::cos;
    if (word == "ubuntu" || word == "ubuntu_containerd") return Distribution::ubuntu;
    if (word.starts_with("windows_ltsc") || word.starts_with("windows_sac"))
        return Distribution::windows;
    return Distribution::unknown;
}

bool is_windows_image(const std::optional<GceImage>& image) {
    return image && std::ranges::count(image->features, "WINDOWS") > 0;
}

/// The distribution by the image's name and family: "cos-121-...", "ubuntu-gke-2404-...".
Distribution distribution_of_image(const GceImage& image) noexcept {
    if (is_windows_image(image)) return Distribution::windows;
    for (const std::string_view name :
         {std::string_view(image.family), last_part(image.link.name)}) {
        if (name.find("ubuntu") != std::string_view::npos) return Distribution::ubuntu;
        if (name.find("cos") != std::string_view::npos) return Distribution::cos;
    }
    return Distribution::unknown;
}

}  // namespace

Result<NodeImage> find_node_image(const TemplateSources& sources, const KubeEnv& env,
                                  std::vector<std::string>& warnings) {
    NodeImage out;
    if (is_windows_image(sources.image)) out.os = "windows";
    if (const auto os = given_variable(env, "os", warnings)) {
        if (*os != "linux" && *os != "windows")
            return fail(ErrorCode::unsupported,
                        "kube-env: operating system " + in_quotes(*os) + " is unknown");
        out.os = *os;
    }
    const bool is_windows = out.os == "windows";
    if (is_windows) out.distribution = Distribution::windows;
    if (const auto word = given_variable(env, "os_distribution", warnings)) {
        out.distribution = distribution_of(*word);
        if (out.distribution == Distribution::unknown) {
            warnings.push_back("kube-env: os_distribution " + in_quotes(*word) +
                               " is unknown; cos is assumed");
            out.distribution = Distribution::cos;
        }
    } else if (sources.image && !is_windows) {
        out.distribution = distribution_of_image(*sources.image);
    }
    const std::string family = family_of(sources.instance_template.machine_type);
    out.arch = arch_of_family(family);
    if (sources.machine_type && !sources.machine_type->arch.empty())
        out.arch = sources.machine_type->arch;
    if (sources.image && !sources.image->arch.empty()) out.arch = sources.image->arch;
    if (const auto arch = given_variable(env, "arch", warnings)) {
        if (*arch == "amd64" || *arch == "arm64")
            out.arch = *arch;
        else
            warnings.push_back("kube-env: architecture " + in_quotes(*arch) + " is unknown");
    }
    return out;
}

}  // namespace capstan::gce
