#include "group_choice.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <re2/re2.h>

#include "../provisioning/autoprovisioned_group.hpp"
#include "../wire/resource_ids.hpp"

namespace capstan::gce {

GroupChoice::GroupChoice(ChoiceConfig config) : config_(std::move(config)) {
    for (const DiscoverySpec& spec : config_.discovery) {
        // The parentheses anchor every alternative of the expression.
        auto begins = std::make_shared<const RE2>("^(?:" + spec.name_prefix + ")", RE2::Quiet);
        rules_.push_back({std::move(begins), {spec.min, spec.max}});
    }
    for (const StaticGroup& group : config_.groups)
        named_.try_emplace(group_id_of(group.link), group);
}

std::optional<Choice> GroupChoice::choose(const ManagedGroup& row) const {
    const auto named = named_.find(group_id_of(row.link));
    if (named != named_.end()) return Choice{Origin::named, {named->second.min, named->second.max}};
    if (row.link.project != config_.project) return std::nullopt;
    if (looks_at(row.link.project, row.link.place)) {
        for (const Rule& rule : rules_)
            if (RE2::PartialMatch(row.link.name, *rule.begins))
                return Choice{Origin::discovered, rule.limits};
    }
    if (may_be_made(row)) return Choice{Origin::candidate, made_limits()};
    return std::nullopt;
}

bool GroupChoice::looks_at(const std::string& project, const Place& place) const {
    if (!finds_more() || project != config_.project) return false;
    const auto is_meant = [&](const std::string& location) {
        return location == place.name ||
               (place.scope == Scope::zone && location == region_of_zone(place.name));
    };
    return config_.locations.empty() ||
           std::any_of(config_.locations.begin(), config_.locations.end(), is_meant);
}

bool GroupChoice::may_be_made(const ManagedGroup& row) const {
    return config_.made_max && row.link.project == config_.project &&
           row.link.place.scope == Scope::zone && is_name_for(row.link.name, config_.cluster);
}

std::vector<std::string> GroupChoice::projects() const {
    std::set<std::string> out;
    if (finds_more()) out.insert(config_.project);
    for (const auto& [id, group] : named_) out.insert(group.link.project);
    return {out.begin(), out.end()};
}

}  // namespace capstan::gce
