#include "group_names.hpp"

#include <cstdint>

#include <capstan/ascii.hpp>
#include <capstan/group_plan_hash.hpp>
#include <capstan/hash.hpp>

namespace capstan::provisioning {
namespace {

constexpr std::size_t name_max = 63;

std::string digest(std::string_view cloud, const GroupPlan& plan) {
    const std::uint64_t hash = hash_of_plan(plan) ^ fnv1a64(cloud);
    // Both halves count, and what a name has room for is enough to tell a cluster's groups apart.
    return hex_text(hash ^ (hash >> 32)).substr(8);
}

/// Lower-case letters, digits and single '-'.
std::string cleaned(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_upper = is_ascii_upper(c);
        const char lower = is_upper ? static_cast<char>(c - 'A' + 'a') : c;
        const bool is_plain = is_ascii_lower(lower) || is_ascii_digit(lower);
        if (is_plain) {
            out += lower;
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
    }
    return out;
}

}  // namespace

std::string make_group_name(std::string_view prefix, std::string_view cloud,
                            const GroupPlan& plan) {
    std::string description(cloud);
    description.append("-").append(plan.machine_type);
    if (!plan.zone.empty()) description.append("-").append(plan.zone);
    if (plan.spot) description += "-spot";
    std::string out(prefix);
    out.append("-").append(cleaned(description));
    const std::string ending = digest(cloud, plan);
    if (out.size() > name_max - ending.size() - 1) out.resize(name_max - ending.size() - 1);
    while (out.back() == '-') out.pop_back();
    return out.append("-").append(ending);
}

bool has_prefix(std::string_view id, std::string_view prefix) noexcept {
    const std::size_t slash = id.rfind('/');
    if (slash != std::string_view::npos) id.remove_prefix(slash + 1);
    return id.size() > prefix.size() && id.starts_with(prefix) && id[prefix.size()] == '-';
}

}  // namespace capstan::provisioning
