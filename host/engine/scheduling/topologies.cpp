#include "engine/scheduling/topologies.hpp"

#include <algorithm>

#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine {

Topologies::Key& Topologies::read(std::string_view key) {
    if (const auto at = keys_.find(key); at != keys_.end()) return at->second;
    Key out;
    const auto find = [&](std::size_t profile) {
        const Labels& labels = (*profiles_)[static_cast<ProfileId>(profile)].labels;
        const auto at = labels.find(key);
        return at != labels.end() ? &at->second : nullptr;
    };
    const bool per_node = key == hostname_label;
    for (std::size_t profile = 0; profile < profiles_->size() && !per_node; ++profile) {
        if (const std::string* value = find(profile)) out.values.push_back(*value);
    }
    std::sort(out.values.begin(), out.values.end());
    out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
    for (std::size_t profile = 0; profile < profiles_->size(); ++profile) {
        const std::string* value = find(profile);
        const auto number = [&] {
            const auto at = std::lower_bound(out.values.begin(), out.values.end(), *value);
            return static_cast<std::int32_t>(at - out.values.begin());
        };
        out.domain_of.push_back(!value ? no_domain : per_node ? 0 : number());
    }
    return keys_.emplace(key, std::move(out)).first->second;
}

const DomainByProfile& Topologies::domains_of(std::string_view key) { return read(key).domain_of; }

LaneId Topologies::labelled(std::string_view key) {
    Key& known = read(key);
    if (!known.all) known.all = add(key, known.domain_of);
    return *known.all;
}

LaneId Topologies::add(std::string_view key, DomainByProfile domain_of) {
    const Key& known = read(key);
    const bool per_node = key == hostname_label;
    const auto domains = static_cast<std::uint32_t>(per_node ? 1 : known.values.size());
    return add(Lane{.key = std::string(key),
                    .per_node = per_node,
                    .domains = domains,
                    .domain_of = std::move(domain_of)});
}

LaneId Topologies::add(Lane lane) {
    std::vector<LaneId>& same = index_[{lane.key, lane.domain_of}];
    for (const LaneId id : same) {
        if (lanes_[id] == lane) return id;
    }
    same.push_back(static_cast<LaneId>(lanes_.size()));
    lanes_.push_back(std::move(lane));
    return same.back();
}

}  // namespace capstan::engine
