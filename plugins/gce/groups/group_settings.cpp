#include "group_settings.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view upstream_kind = "mig:";
constexpr std::string_view managers = "instanceGroupManagers";
constexpr std::string_view machine_scheme = "gce://";

Unexpected spec_mistake(std::string why) { return fail(ErrorCode::invalid_config, std::move(why)); }

Unexpected no_id(std::string_view id, const char* what) {
    return fail(ErrorCode::invalid_argument, in_quotes(id) + " is no " + what);
}

std::optional<int> parse_size(std::string_view text) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
    return out;
}

Result<int> read_size(std::string_view text) {
    if (const auto size = parse_size(text)) return *size;
    return spec_mistake("has " + in_quotes(text) +
                        " for a size, which is a whole number from 0 on");
}

Result<void> check_sizes(int min, int max) {
    if (min > max)
        return spec_mistake("has the minimum " + std::to_string(min) + " above its maximum " +
                            std::to_string(max));
    return {};
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

Result<ResourceLink> parse_group_link(std::string_view text) {
    Result<ResourceLink> link = parse_link(text);
    if (!link) link = group_of_id(text);
    const bool is_group = link && link->place.scope != Scope::global &&
                          (link->collection == managers || link->collection == "instanceGroups");
    if (!is_group)
        return spec_mistake("has " + in_quotes(text) +
                            " for a group, which is a link such as "
                            "projects/p/zones/us-central1-a/instanceGroups/web");
    link->collection = managers;
    return link;
}

/// The values of a discovery expression, by key.
struct DiscoveryParts {
    std::optional<std::string_view> name_prefix{}, min{}, max{};
};

Result<DiscoveryParts> split_discovery(std::string_view text) {
    DiscoveryParts out;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        std::optional<std::string_view>* const to = key == "namePrefix" ? &out.name_prefix
                                                    : key == "min"      ? &out.min
                                                    : key == "max"      ? &out.max
                                                                        : nullptr;
        if (to == nullptr || equals == std::string_view::npos)
            return spec_mistake("has " + in_quotes(part) +
                                ", and what there is are namePrefix=, min= and max=");
        if (*to) return spec_mistake("has " + in_quotes(key) + " twice");
        *to = part.substr(equals + 1);
        if (comma == std::string_view::npos) return out;
        text.remove_prefix(comma + 1);
    }
}

Result<void> check_prefix(const std::string& prefix) {
    RE2::Options options;
    options.set_log_errors(false);
    const RE2 expression(prefix, options);
    if (expression.ok()) return {};
    return spec_mistake("has the namePrefix " + in_quotes(prefix) +
                        ", which is no regular expression: " + expression.error());
}

}  // namespace

Result<StaticGroup> parse_static_group(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    if (second == std::string_view::npos) return spec_mistake("is not min:max:link");
    StaticGroup out;
    CAPSTAN_TRY(out.min, read_size(text.substr(0, first)));
    CAPSTAN_TRY(out.max, read_size(text.substr(first + 1, second - first - 1)));
    CAPSTAN_CHECK(check_sizes(out.min, out.max));
    CAPSTAN_TRY(out.link, parse_group_link(text.substr(second + 1)));
    return out;
}

Result<DiscoverySpec> parse_discovery(std::string_view text) {
    if (text.starts_with(upstream_kind)) text.remove_prefix(upstream_kind.size());
    CAPSTAN_TRY(const DiscoveryParts parts, split_discovery(text));
    if (!parts.name_prefix || parts.name_prefix->empty())
        return spec_mistake("has no namePrefix, and would mean every group of the project");
    if (!parts.max) return spec_mistake("has no max, and groups of Google have none of their own");
    DiscoverySpec out{.name_prefix = std::string(*parts.name_prefix)};
    if (parts.min) {
        CAPSTAN_TRY(out.min, read_size(*parts.min));
    }
    CAPSTAN_TRY(out.max, read_size(*parts.max));
    CAPSTAN_CHECK(check_sizes(out.min, out.max));
    if (out.max == 0) return spec_mistake("has the maximum 0, so none of its groups could grow");
    CAPSTAN_CHECK(check_prefix(out.name_prefix));
    return out;
}

std::string group_id_of(const ResourceLink& group) { return joined_id(group); }

Result<ResourceLink> group_of_id(std::string_view id) {
    const auto parts = split_id(id);
    if (!parts) return no_id(id, "group");
    return ResourceLink{std::string(parts->project), place_of_name(parts->place),
                        std::string(managers), std::string(parts->name)};
}

std::string machine_id_of(const ResourceLink& instance) {
    return std::string(machine_scheme) + joined_id(instance);
}

Result<ResourceLink> instance_of_id(std::string_view id) {
    const bool has_scheme = id.starts_with(machine_scheme);
    const auto parts = has_scheme ? split_id(id.substr(machine_scheme.size())) : std::nullopt;
    if (!parts || place_of_name(parts->place).scope != Scope::zone) return no_id(id, "machine");
    return ResourceLink{std::string(parts->project), place_of_name(parts->place), "instances",
                        std::string(parts->name)};
}

}  // namespace capstan::gce
