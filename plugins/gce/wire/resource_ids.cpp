#include "resource_ids.hpp"

#include <cstddef>
#include <optional>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view machine_scheme = "gce://";

Unexpected no_id(std::string_view id, const char* what) {
    return fail(ErrorCode::invalid_argument, in_quotes(id) + " is not the id of a " + what);
}

/// Names of regions end in a digit, those of zones in a letter: "us-central1", "us-central1-a".
Place place_of_name(std::string_view name) {
    const bool is_region = is_ascii_digit(name.back());
    return {is_region ? Scope::region : Scope::zone, std::string(name)};
}

/// Splits "my-project/us-central1-a/web" into its three parts, none of which may be empty.
struct IdParts {
    std::string_view project{}, place{}, name{};
};
std::optional<IdParts> split_id(std::string_view id) {
    const std::size_t first = id.find('/');
    const std::size_t second = first == std::string_view::npos ? first : id.find('/', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const IdParts out{id.substr(0, first), id.substr(first + 1, second - first - 1),
                      id.substr(second + 1)};
    const bool is_whole = !out.project.empty() && !out.place.empty() && !out.name.empty() &&
                          out.name.find('/') == std::string_view::npos;
    return is_whole ? std::optional(out) : std::nullopt;
}

std::string joined_id(const ResourceLink& link) {
    return link.project + "/" + link.place.name + "/" + link.name;
}

}  // namespace

std::string group_id_of(const ResourceLink& group) { return joined_id(group); }

Result<ResourceLink> group_of_id(std::string_view id) {
    const auto parts = split_id(id);
    if (!parts) return no_id(id, "group");
    return ResourceLink{std::string(parts->project), place_of_name(parts->place),
                        std::string(group_managers), std::string(parts->name)};
}

std::string machine_id_of(const ResourceLink& instance) {
    return std::string(machine_scheme) + joined_id(instance);
}

Result<ResourceLink> instance_of_id(std::string_view id) {
    const bool has_scheme = id.starts_with(machine_scheme);
    const auto parts = has_scheme ? split_id(id.substr(machine_scheme.size())) : std::nullopt;
    if (!parts || place_of_name(parts->place).scope != Scope::zone) return no_id(id, "instance");
    return ResourceLink{std::string(parts->project), place_of_name(parts->place), "instances",
                        std::string(parts->name)};
}

}  // namespace capstan::gce
