#include "machine_names.hpp"

#include <charconv>
#include <cstddef>

namespace capstan::aws {
namespace {

constexpr std::string_view machine_scheme = "aws:///";
constexpr std::string_view placeholder_prefix = "i-placeholder-";

}  // namespace

std::string machine_id_of(std::string_view zone, std::string_view instance_id) {
    std::string out(machine_scheme);
    out.append(zone).append("/").append(instance_id);
    return out;
}

std::string_view instance_id_of(std::string_view machine_id) noexcept {
    if (!machine_id.starts_with(machine_scheme)) return {};
    const std::size_t slash = machine_id.rfind('/');
    return slash < machine_scheme.size() ? std::string_view() : machine_id.substr(slash + 1);
}

std::string placeholder_of(std::string_view group, int ordinal) {
    std::string out(placeholder_prefix);
    out.append(group).append("-").append(std::to_string(ordinal));
    return out;
}

std::optional<int> ordinal_of(std::string_view machine_id, std::string_view group) noexcept {
    if (!machine_id.starts_with(placeholder_prefix)) return std::nullopt;
    machine_id.remove_prefix(placeholder_prefix.size());
    if (!machine_id.starts_with(group)) return std::nullopt;
    machine_id.remove_prefix(group.size());
    if (!machine_id.starts_with('-')) return std::nullopt;
    machine_id.remove_prefix(1);
    int out = 0;
    const char* const end = machine_id.data() + machine_id.size();
    const auto [last, error] = std::from_chars(machine_id.data(), end, out);
    if (error != std::errc() || last != end || out < 0) return std::nullopt;
    return out;
}

}  // namespace capstan::aws
