#include "config.hpp"

#include <utility>

#include "config_yaml.hpp"

namespace capstan::expanders {
namespace {

void read_table(const Settings& settings, PriorityConfig& out) {
    const auto entries = settings.text_list_map("priorities");
    const auto mistake = [&](std::size_t i, std::string why) {
        out.mistakes.push_back({"priorities", i, std::move(why)});
    };
    if (entries.empty()) out.mistakes.push_back({"priorities", std::nullopt, "names no priority"});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto priority = parse_priority(entries[i].first);
        if (!priority) {
            mistake(i, priority.error().message);
            continue;
        }
        // "10" and "+10" are two keys of the table, but one priority.
        auto [tier, is_new] = out.tiers.try_emplace(*priority);
        if (!is_new) mistake(i, "priority " + std::to_string(*priority) + " stands here twice");
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

}  // namespace

Schema priority_schema() {
    return {
        {.key = "priorities",
         .type = SettingType::string,
         .doc = "By priority, the regular expressions (RE2) of the group ids that have it, such as "
                "{ \"50\" = [\"-spot-\"], \"10\" = [\".*\"] }. The highest number is tried first; "
                "it may be "
                "negative.",
         .list = true,
         .map = true,
         .live = true},
        {.key = "yaml",
         .type = SettingType::string,
         .doc =
             "The same as a YAML document: upstream's ConfigMap "
             "cluster-autoscaler-priority-expander, or what stands in it under the key priorities. "
             "Not together with priorities.",
         .live = true}};
}

PriorityConfig read_priority(const Settings& settings) {
    PriorityConfig out;
    const bool table = settings.has("priorities");
    if (table && settings.has("yaml")) {
        out.mistakes.push_back(
            {"yaml", std::nullopt, "priorities is set too; one of them has to go"});
    } else if (table) {
        read_table(settings, out);
    } else if (settings.has("yaml")) {
        read_yaml(settings, out);
    }
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

Result<Tiers> tiers_of(PriorityConfig config) {
    if (config.mistakes.empty()) return std::move(config.tiers);
    const PriorityMistake& first = config.mistakes.front();
    return fail(ErrorCode::invalid_config, first.key + ": " + first.why);
}

}  // namespace capstan::expanders
