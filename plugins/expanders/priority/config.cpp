#include "config.hpp"

#include <utility>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>

#include "config_yaml.hpp"

namespace capstan::expanders {
namespace {

void read_table(const Settings& settings, PriorityConfig& out) {
    const auto entries = settings.text_list_map("priorities");
    const auto mistake = [&](std::size_t i, std::string why) {
        out.mistakes.push_back({"priorities", i, std::move(why)});
    };
    if (entries.empty()) out.mistakes.push_back({"priorities", std::nullopt, "has no priorities"});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto priority = parse_priority(entries[i].first);
        if (!priority) {
            mistake(i, priority.error().message);
            continue;
        }
        // "10" and "+10" are two keys of the table, but one priority.
        auto [tier, is_new] = out.tiers.try_emplace(*priority);
        if (!is_new) mistake(i, "duplicate priority " + std::to_string(*priority));
        for (const std::string& written : entries[i].second) {
            auto pattern = parse_pattern(written);
            if (!pattern) {
                mistake(i, pattern.error().message);
            } else {
                tier->second.push_back(*std::move(pattern));
            }
        }
    }
}

void read_yaml(const Settings& settings, PriorityConfig& out) {
    auto tiers = parse_priorities_yaml(settings.text("yaml"));
    if (tiers) {
        out.tiers = *std::move(tiers);
    } else {
        out.mistakes.push_back({"yaml", std::nullopt, tiers.error().message});
    }
}

void read_config_map(const Settings& settings, PriorityConfig& out) {
    auto name = parse_config_map_name(settings.text("config_map"));
    if (name) {
        out.config_map = *std::move(name);
    } else {
        out.mistakes.push_back({"config_map", std::nullopt, name.error().message});
    }
}

/// The one setting that says where priorities come from, or none; others beside it are mistakes.
std::string find_source(const Settings& settings, PriorityConfig& out) {
    std::string source;
    for (const char* key : {"priorities", "yaml", "config_map"}) {
        if (!settings.has(key)) continue;
        if (source.empty()) {
            source = key;
        } else {
            out.mistakes.push_back(
                {key, std::nullopt, source + " is also set; remove one of them"});
        }
    }
    return source;
}

}  // namespace

Result<ConfigMapName> parse_config_map_name(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return fail(ErrorCode::invalid_config, in_quotes(text) + ": expected NAMESPACE/NAME");
    const std::string_view ns = text.substr(0, slash);
    const std::string_view name = text.substr(slash + 1);
    if (!is_dns_label(ns))
        return fail(ErrorCode::invalid_config, in_quotes(ns) + " is not a valid namespace");
    if (!is_dns_subdomain(name))
        return fail(ErrorCode::invalid_config, in_quotes(name) + " is not a valid ConfigMap name");
    return ConfigMapName{.ns = std::string(ns), .name = std::string(name)};
}

Schema priority_schema() {
    return {
        {.key = "priorities",
         .type = SettingType::string,
         .doc = "Regular expressions (RE2) of group ids, by priority, such as { \"50\" = "
                "[\"-spot-\"], \"10\" = [\".*\"] }. The highest number is preferred. Priorities "
                "may be negative.",
         .list = true,
         .map = true,
         .live = true},
        {.key = "yaml",
         .type = SettingType::string,
         .doc =
             "The priorities as YAML: upstream's ConfigMap cluster-autoscaler-priority-expander, "
             "or the value of its key priorities. Cannot be combined with `priorities`.",
         .live = true},
        {.key = "config_map",
         .type = SettingType::string,
         .doc = "NAMESPACE/NAME of a ConfigMap with such YAML under its key priorities. It is "
                "watched; needs grants = { kube = [\"configmaps:list,watch@NAMESPACE\"] }. Cannot "
                "be combined with `priorities` or `yaml`."}};
}

PriorityConfig read_priority(const Settings& settings) {
    PriorityConfig out;
    const std::string source = find_source(settings, out);
    if (!out.mistakes.empty()) return out;
    if (source == "priorities") read_table(settings, out);
    if (source == "yaml") read_yaml(settings, out);
    if (source == "config_map") read_config_map(settings, out);
    return out;
}

void check_priority(const Settings& settings) {
    for (const PriorityMistake& m : read_priority(settings).mistakes) {
        if (m.index) {
            settings.reject(m.key, *m.index, m.why);
        } else {
            settings.reject(m.key, m.why);
        }
    }
}

Result<void> demand_sound(const PriorityConfig& config) {
    if (config.mistakes.empty()) return {};
    const PriorityMistake& first = config.mistakes.front();
    return fail(ErrorCode::invalid_config, first.key + ": " + first.why);
}

Result<Tiers> tiers_of(PriorityConfig config) {
    CAPSTAN_CHECK(demand_sound(config));
    return std::move(config.tiers);
}

}  // namespace capstan::expanders
