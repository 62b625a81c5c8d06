#include "group_settings.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

constexpr std::string_view upstream_kind = "mig:";

Unexpected spec_mistake(std::string why) { return fail(ErrorCode::invalid_config, std::move(why)); }

std::optional<int> parse_size(std::string_view text) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
    return out;
}

Result<int> read_size(std::string_view text) {
    if (const auto size = parse_size(text)) return *size;
    return spec_mistake("invalid value " + in_quotes(text) + ": expected an integer of at least 0");
}

Result<void> check_sizes(int min, int max) {
    if (min > max)
        return spec_mistake("minimum " + std::to_string(min) + " is above maximum " +
                            std::to_string(max));
    return {};
}

Result<ResourceLink> parse_group_link(std::string_view text) {
    Result<ResourceLink> link = parse_link(text);
    if (!link) link = group_of_id(text);
    const bool is_group =
        link && link->place.scope != Scope::global &&
        (link->collection == group_managers || link->collection == "instanceGroups");
    if (!is_group)
        return spec_mistake(
            "invalid value " + in_quotes(text) +
            ": expected a link such as projects/p/zones/us-central1-a/instanceGroups/web");
    link->collection = group_managers;
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
            return spec_mistake("invalid value " + in_quotes(part) +
                                ": expected namePrefix=, min= or max=");
        if (*to) return spec_mistake("duplicate key " + in_quotes(key));
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
    return spec_mistake("namePrefix " + in_quotes(prefix) +
                        " is not a regular expression: " + expression.error());
}

}  // namespace

Result<StaticGroup> parse_static_group(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    if (second == std::string_view::npos) return spec_mistake("expected min:max:link");
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
        return spec_mistake("has no namePrefix, so it would select every group of the project");
    if (!parts.max) return spec_mistake("needs max: Google's groups have no maximum of their own");
    DiscoverySpec out{.name_prefix = std::string(*parts.name_prefix)};
    if (parts.min) {
        CAPSTAN_TRY(out.min, read_size(*parts.min));
    }
    CAPSTAN_TRY(out.max, read_size(*parts.max));
    CAPSTAN_CHECK(check_sizes(out.min, out.max));
    if (out.max == 0) return spec_mistake("has max=0, so its groups could not be scaled up");
    CAPSTAN_CHECK(check_prefix(out.name_prefix));
    return out;
}

}  // namespace capstan::gce
