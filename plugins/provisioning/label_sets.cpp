#include "label_sets.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include <capstan/detail/int128.hpp>

namespace capstan::provisioning {
namespace {

/// What a pod counts that requests no cpu.
constexpr std::int64_t least_cpu = 50;

/// All pods with the same requirements.
struct Party {
    Labels labels{};
    std::int64_t popularity = 0;
    std::uint32_t count = 0;
    std::size_t place = 0;  ///< among those of its camp, by labels
    std::vector<const PodEquivalenceGroup*> pods{};
};

std::int64_t popularity_of(const PodEquivalenceGroup& pods, Popularity popularity) {
    if (popularity == Popularity::pods) return pods.count;
    const std::int64_t cpu = pods.requests.find("cpu").value_or(least_cpu);
    return detail::saturated(detail::Int128{cpu} * pods.count);
}

using TaintKey = std::vector<std::tuple<std::string, std::string, int>>;

TaintKey key_of(const std::vector<Taint>& taints) {
    TaintKey out;
    for (const Taint& taint : taints)
        out.emplace_back(taint.key, taint.value, static_cast<int>(taint.effect));
    return out;
}

/// Parties with the same taints, the most popular first.
struct Camp {
    std::vector<Taint> taints{};
    std::vector<Party> parties{};
};

/// They come by labels; looking at those again for each tie would take longest of all.
void sort_by_popularity(std::vector<Party>& parties) {
    for (std::size_t i = 0; i < parties.size(); ++i) parties[i].place = i;
    std::ranges::sort(parties, [](const Party& a, const Party& b) {
        return a.popularity != b.popularity ? a.popularity > b.popularity : a.place < b.place;
    });
}

std::vector<Camp> make_camps(std::span<const PodRequirements> wishing, const Config& config) {
    std::map<TaintKey, std::pair<std::vector<Taint>, std::map<Labels, Party>>> sorted;
    for (const auto& [pods, wish] : wishing) {
        auto& [taints, parties] = sorted[key_of(wish.taints)];
        taints = wish.taints;
        Party& party = parties[wish.labels];
        party.labels = wish.labels;
        party.popularity = detail::saturated(detail::Int128{party.popularity} +
                                             popularity_of(*pods, config.popularity));
        party.count += pods->count;
        party.pods.push_back(pods);
    }
    std::vector<Camp> out;
    for (auto& [key, camp] : sorted) {
        out.push_back({std::move(camp.first), {}});
        for (auto& [labels, party] : camp.second) out.back().parties.push_back(std::move(party));
        sort_by_popularity(out.back().parties);
    }
    return out;
}

/// A set in the making.
class Union {
public:
    Union(const UnlabelledNode& node, const Party& first) : node_(node), labels_(first.labels) {
        add(first);
    }

    bool join(const Party& party) {
        if (contradicts(party)) return false;
        Labels together = labels_;
        together.insert(party.labels.begin(), party.labels.end());
        if (together.size() > labels_.size() && !suits_all(together)) return false;
        if (!suits(together, party)) return false;
        labels_ = std::move(together);
        add(party);
        return true;
    }
    const Labels& labels() const { return labels_; }
    std::uint32_t pods() const { return pods_; }

private:
    void add(const Party& party) {
        members_.push_back(&party);
        pods_ += party.count;
    }
    bool contradicts(const Party& party) const {
        return std::ranges::any_of(party.labels, [&](const auto& label) {
            const auto own = labels_.find(label.first);
            return own != labels_.end() && own->second != label.second;
        });
    }
    bool suits(const Labels& labels, const Party& party) const {
        return std::ranges::all_of(party.pods, [&](const PodEquivalenceGroup* pods) {
            return takes(node_, labels, *pods);
        });
    }
    bool suits_all(const Labels& labels) const {
        return std::ranges::all_of(members_,
                                   [&](const Party* party) { return suits(labels, *party); });
    }

    const UnlabelledNode& node_;
    Labels labels_;
    std::uint32_t pods_ = 0;
    std::vector<const Party*> members_;
};

struct RankedLabels {
    LabelSet set{};
    std::int64_t popularity = 0;
};

/// The first `most_sets` of one camp.
void add_sets(const UnlabelledNode& node, const Camp& camp, bool alpha,
              std::vector<RankedLabels>& out) {
    std::vector<const Party*> left;
    for (const Party& party : camp.parties) left.push_back(&party);
    for (std::size_t sets = 0; sets < most_sets && !left.empty(); ++sets) {
        const Party& leader = *left.front();
        Union set(node, leader);
        left.erase(left.begin());
        if (!alpha) std::erase_if(left, [&](const Party* party) { return set.join(*party); });
        out.push_back({.set = {.wish = {set.labels(), camp.taints},
                               .pods = set.pods(),
                               .leading = leader.count,
                               .led_by = leader.labels},
                       .popularity = leader.popularity});
    }
}

/// The least popular go; the others keep their order.
void keep_most_popular(std::vector<RankedLabels>& sets) {
    if (sets.size() <= most_sets) return;
    std::vector<std::size_t> order(sets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::tuple(-sets[a].popularity, a) < std::tuple(-sets[b].popularity, b);
    });
    order.resize(most_sets);
    std::ranges::sort(order);
    std::vector<RankedLabels> kept;
    for (const std::size_t i : order) kept.push_back(std::move(sets[i]));
    sets = std::move(kept);
}

}  // namespace

std::vector<LabelSet> make_label_sets(const UnlabelledNode& node,
                                      std::span<const PodRequirements> wishing,
                                      const Config& config) {
    std::vector<RankedLabels> ranked;
    for (const Camp& camp : make_camps(wishing, config)) add_sets(node, camp, config.alpha, ranked);
    keep_most_popular(ranked);
    std::vector<LabelSet> out;
    for (RankedLabels& each : ranked) out.push_back(std::move(each.set));
    return out;
}

}  // namespace capstan::provisioning
