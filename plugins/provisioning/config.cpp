#include "config.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/ascii.hpp>

namespace capstan::provisioning {
namespace {

/// Room for machine type, zone and the rest of the name within 63 characters.
constexpr std::size_t prefix_max = 30;

Setting choice(std::string_view key, std::string_view doc, std::string_view default_value,
               std::vector<std::string_view> allowed) {
    return {.key = key,
            .type = SettingType::enumeration,
            .doc = doc,
            .default_value = default_value,
            .allowed = std::move(allowed)};
}

Setting names(std::string_view key, std::string_view doc) {
    return {
        .key = key, .type = SettingType::string, .doc = doc, .default_value = "[]", .list = true};
}

std::set<std::string, std::less<>> read_names(const Settings& settings, std::string_view key) {
    const std::vector<std::string> written = settings.texts(key);
    return {written.begin(), written.end()};
}

Dedicated read_dedicated(std::string_view name) {
    if (name == "off") return Dedicated::off;
    return name == "toleration" ? Dedicated::toleration : Dedicated::selector_and_toleration;
}

Spot read_spot(std::string_view name) {
    if (name == "never") return Spot::never;
    return name == "only" ? Spot::only : Spot::also;
}

bool is_fit_for_names(char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '-'; }

}  // namespace

Schema config_schema() {
    return {
        choice("popularity",
               "How labels are ranked: by the number of pods that require them, or by the cpu "
               "those pods request.",
               R"("pods")", {"pods", "cpu"}),
        choice("dedicated",
               "When new nodes get a taint: for pods with a toleration and a node selector of the "
               "same key and value, for pods with a toleration of a key and value, or never.",
               R"("selector_and_toleration")", {"selector_and_toleration", "toleration", "off"}),
        {.key = "alpha",
         .type = SettingType::boolean,
         .doc = "If true, a separate group is suggested for each set of required labels, even if "
                "the sets are compatible.",
         .default_value = "false"},
        choice("spot", "Whether new groups may use spot machines.", R"("also")",
               {"also", "never", "only"}),
        {.key = "max_groups",
         .type = SettingType::integer,
         .doc = "Maximum number of node groups in the cluster, including those not created by "
                "capstan.",
         .default_value = "50",
         .min = 0,
         .max = 100'000},
        {.key = "prefix",
         .type = SettingType::string,
         .doc = "Name prefix of created groups. Only groups with this prefix are deleted.",
         .default_value = R"("nodeautoprovisioning")"},
        names("machine_types", "Machine types for new groups. Empty: all that the cloud offers."),
        names("zones", "Zones for new groups. Empty: all.")};
}

void check_config(const Settings& settings) {
    const std::string prefix = settings.text("prefix");
    const bool begins_well = !prefix.empty() && is_ascii_lower(prefix.front());
    if (!begins_well || !std::ranges::all_of(prefix, is_fit_for_names))
        settings.reject("prefix",
                        "must be lower-case letters, digits and '-', beginning with a letter");
    if (prefix.size() > prefix_max)
        settings.reject("prefix", "must be at most " + std::to_string(prefix_max) + " characters");
}

Config read_config(const Settings& settings) {
    return {.popularity = settings.text("popularity") == "cpu" ? Popularity::cpu : Popularity::pods,
            .dedicated = read_dedicated(settings.text("dedicated")),
            .alpha = settings.boolean("alpha"),
            .spot = read_spot(settings.text("spot")),
            .max_groups = static_cast<int>(settings.integer("max_groups")),
            .prefix = settings.text("prefix"),
            .machine_types = read_names(settings, "machine_types"),
            .zones = read_names(settings, "zones")};
}

}  // namespace capstan::provisioning
