#include "suitable_types.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/sentence.hpp>

#include "../templates/group_template.hpp"

namespace capstan::gce {
namespace {

// Families by the disks that their machines boot from; those in neither list take both kinds.
constexpr std::array<std::string_view, 11> of_hyperdisk_alone{
    "a4", "a4x", "c4", "c4a", "c4d", "h4d", "m4", "n4", "n4a", "n4d", "x4"};
constexpr std::array<std::string_view, 12> of_persistent_disk_alone{
    "a2", "c2", "c2d", "e2", "f1", "g1", "g2", "n1", "n2", "n2d", "t2a", "t2d"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& families, const std::string& family) {
    return std::ranges::find(families, family) != families.end();
}

std::string why_no_boot(const std::string& family, const InstanceTemplate& source) {
    const auto boot = std::ranges::find(source.disks, true, &TemplateDisk::is_boot);
    if (boot == source.disks.end()) return {};
    const bool is_hyperdisk = boot->disk_type.starts_with("hyperdisk-");
    if (!is_hyperdisk && is_among(of_hyperdisk_alone, family)) return "boots only from Hyperdisk";
    if (is_hyperdisk && is_among(of_persistent_disk_alone, family))
        return "cannot boot from " + boot->disk_type;
    return {};
}

/// The property of the template that only types of its own family have; empty if there is none.
std::string family_bound_property(const InstanceTemplate& source) {
    if (!source.min_cpu_platform.empty()) return "the CPU platform " + source.min_cpu_platform;
    const bool has_ssd = std::ranges::any_of(
        source.disks, [](const TemplateDisk& disk) { return disk.type == "SCRATCH"; });
    if (has_ssd) return "local SSDs";
    return {};
}

std::string why_no_accelerator(const GceMachineType& type, const InstanceTemplate& source,
                               const std::vector<LookupApi::AcceleratorType>* in_zone) {
    if (source.accelerators.empty())
        return type.accelerators.empty() ? "" : "has built-in accelerators";
    const TemplateAccelerator& wanted = source.accelerators.front();
    if (!type.accelerators.empty()) {
        const bool has_them = std::ranges::any_of(
            type.accelerators, [&](const auto& each) { return each.type == wanted.type; });
        return has_them ? "" : "has built-in accelerators other than " + wanted.type;
    }
    if (family_of(type.name) != family_of(source.machine_type))
        return "does not support " + wanted.type;
    const bool is_in_zone =
        in_zone == nullptr || std::ranges::any_of(*in_zone, [&](const auto& each) {
            return each.name == wanted.type && each.most_per_machine >= wanted.count;
        });
    return is_in_zone ? ""
                      : "does not support " + counted(wanted.count, wanted.type) + " in its zone";
}

std::string arch_of(const GceMachineType& type) {
    return type.arch.empty() ? arch_of_family(family_of(type.name)) : type.arch;
}

}  // namespace

std::string why_unsuitable(const GceMachineType& type, const InstanceTemplate& source,
                           const std::string& arch,
                           const std::vector<LookupApi::AcceleratorType>* accelerators) {
    if (type.is_deprecated) return "is deprecated";
    const std::string family = family_of(type.name);
    if (arch_of(type) != arch) return "runs " + arch_of(type) + ", the image is for " + arch;
    if (std::string why = why_no_boot(family, source); !why.empty()) return why;
    const std::string tie = family_bound_property(source);
    if (!tie.empty() && family != family_of(source.machine_type))
        return "is of another family than " + source.machine_type + ", but the template has " + tie;
    return why_no_accelerator(type, source, accelerators);
}

std::string arch_of_template(const InstanceTemplate& source, const GceImage* image) {
    if (image != nullptr && !image->arch.empty()) return image->arch;
    return arch_of_family(family_of(source.machine_type));
}

std::vector<TemplateAccelerator> accelerators_on(const GceMachineType& type,
                                                 const InstanceTemplate& source) {
    if (type.accelerators.empty() || source.accelerators.empty()) return source.accelerators;
    std::vector<TemplateAccelerator> out;
    for (const GceMachineType::Accelerator& each : type.accelerators)
        out.push_back({.type = each.type, .count = each.count});
    return out;
}

}  // namespace capstan::gce
