#include "label_sets.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace capstan::provisioning {
namespace {

/// What a pod counts that requests no cpu.
constexpr std::int64_t least_cpu = 50;

/// Everybody with one wish.
struct Party {
    Labels labels{};
    std::int64_t popularity = 0;
    std::uint32_t count = 0;
    std::vector<const PodClass*> pods{};
};

std::int64_t popularity_of(const PodClass& pods, Popularity popularity) {
    if (popularity == Popularity::pods) return pods.count;
    const std::int64_t cpu = pods.requests.find("cpu").value_or(least_cpu);
    return cpu * pods.count;
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

std::vector<Camp> make_camps(std::span<const Wishing> wishing, const Config& config) {
    std::map<TaintKey, std::pair<std::vector<Taint>, std::map<Labels, Party>>> sorted;
    for (const auto& [pods, wish] : wishing) {
        auto& [taints, parties] = sorted[key_of(wish.taints)];
        taints = wish.taints;
        Party& party = parties[wish.labels];
        party.labels = wish.labels;
        party.popularity += popularity_of(*pods, config.popularity);
        party.count += pods->count;
        party.pods.push_back(pods);
    }
    std::vector<Camp> out;
    for (auto& [key, camp] : sorted) {
        out.push_back({std::move(camp.first), {}});
        for (auto& [labels, party] : camp.second) out.back().parties.push_back(std::move(party));
        std::ranges::sort(out.back().parties, [](const Party& a, const Party& b) {
            return a.popularity != b.popularity ? a.popularity > b.popularity : a.labels < b.labels;
        });
    }
    return out;
}

/// A set in the making.
class Union {
public:
    Union(const Bare& node, const Party& first) : node_(node), labels_(first.labels) { add(first); }

    bool join(const Party& party) {
        Labels together = labels_;
        for (const auto& [key, value] : party.labels) {
            const auto [at, is_new] = together.emplace(key, value);
            if (!is_new && at->second != value) return false;
        }
        if (together != labels_ && !suits_all(together)) return false;
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
    bool suits(const Labels& labels, const Party& party) const {
        return std::ranges::all_of(
            party.pods, [&](const PodClass* pods) { return takes(node_, labels, *pods); });
    }
    bool suits_all(const Labels& labels) const {
        return std::ranges::all_of(members_,
                                   [&](const Party* party) { return suits(labels, *party); });
    }

    const Bare& node_;
    Labels labels_;
    std::uint32_t pods_ = 0;
    std::vector<const Party*> members_;
};

}  // namespace

std::vector<LabelSet> make_label_sets(const Bare& node, std::span<const Wishing> wishing,
                                      const Config& config) {
    std::vector<LabelSet> out;
    for (const Camp& camp : make_camps(wishing, config)) {
        std::vector<const Party*> left;
        for (const Party& party : camp.parties) left.push_back(&party);
        while (!left.empty()) {
            const Party& leader = *left.front();
            Union set(node, leader);
            left.erase(left.begin());
            if (!config.alpha)
                std::erase_if(left, [&](const Party* party) { return set.join(*party); });
            out.push_back({.wish = {set.labels(), camp.taints},
                           .pods = set.pods(),
                           .leading = leader.count,
                           .led_by = leader.labels});
        }
    }
    return out;
}

}  // namespace capstan::provisioning
