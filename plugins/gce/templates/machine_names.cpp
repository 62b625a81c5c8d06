// Parses the names of machine types.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "group_template.hpp"

namespace capstan::gce {
namespace {

std::vector<std::string_view> parts_of_name(std::string_view name) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t end = name.find('-');
        out.push_back(name.substr(0, end));
        if (end == std::string_view::npos) return out;
        name.remove_prefix(end + 1);
    }
}

/// Larger than any existing machine; the limits prevent overflow in later computations.
constexpr std::int64_t custom_vcpus_max = 65'536, custom_mib_max = std::int64_t{1} << 30;

/// Compute counts shared-core types as two vCPUs.
std::optional<std::int64_t> find_custom_vcpus(std::string_view family, std::string_view part) {
    if (family == "e2" && (part == "micro" || part == "small" || part == "medium")) return 2;
    const auto out = find_whole_number(part);
    return out && *out > 0 && *out <= custom_vcpus_max ? out : std::nullopt;
}

constexpr auto arm_families = std::to_array<std::string_view>({"t2a", "c4a", "n4a", "a4x"});

}  // namespace

std::string family_of(const std::string& machine_type) {
    const std::string family = machine_type.substr(0, machine_type.find('-'));
    const bool is_n1 = family == "custom" || family == "f1" || family == "g1";
    return is_n1 ? "n1" : family;
}

std::string arch_of_family(const std::string& family) {
    return std::ranges::count(arm_families, family) > 0 ? "arm64" : "amd64";
}

Result<std::optional<GceMachineType>> parse_custom_type(const std::string& name) {
    const std::vector<std::string_view> parts = parts_of_name(name);
    const std::size_t custom = parts[0] == "custom" ? 0 : 1;
    if (parts.size() < 2 || parts[custom] != "custom") return std::optional<GceMachineType>();
    const std::string family = family_of(name);
    const auto vcpus =
        parts.size() > custom + 2 ? find_custom_vcpus(family, parts[custom + 1]) : std::nullopt;
    const auto memory = vcpus ? find_whole_number(parts[custom + 2]) : std::nullopt;
    if (!memory || *memory < 1 || *memory > custom_mib_max)
        return fail(ErrorCode::invalid_argument,
                    in_quotes(name) + " is not a custom machine type like \"n2-custom-4-8192\"");
    GceMachineType out{.name = name, .vcpus = *vcpus, .memory_mib = *memory};
    out.arch = arch_of_family(family);
    return std::optional(std::move(out));
}

}  // namespace capstan::gce
