#include "label_sets.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include <capstan/detail/int128.hpp>

namespace capstan::provisioning {
namespace {

/// MilliCPU that a pod counts for when it requests no cpu.
constexpr std::int64_t default_cpu = 50;

/// All pods that require the same labels and taints.
struct LabelGroup {
    Labels labels{};
    std::int64_t popularity = 0;
    std::uint32_t count = 0;  ///< of pods
    std::size_t place = 0;    ///< in the order of labels, within its taint group
    std::vector<const PodEquivalenceGroup*> pods{};
};

std::int64_t popularity_of(const PodEquivalenceGroup& pods, Popularity popularity) {
    if (popularity == Popularity::pods) return pods.count;
    const std::int64_t cpu = pods.requests.find("cpu").value_or(default_cpu);
    return detail::saturated(detail::Int128{cpu} * pods.count);
}

using TaintKey = std::vector<std::tuple<std::string, std::string, int>>;

TaintKey key_of(const std::vector<Taint>& taints) {
    TaintKey out;
    for (const Taint& taint : taints)
        out.emplace_back(taint.key, taint.value, static_cast<int>(taint.effect));
    return out;
}

/// The label groups with the same taints, the most popular first.
struct TaintGroup {
    std::vector<Taint> taints{};
    std::vector<LabelGroup> label_groups{};
};

/// `label_groups` arrives ordered by labels. Ties go by that place, since comparing labels again
/// for each tie would take most of the time.
void sort_by_popularity(std::vector<LabelGroup>& label_groups) {
    for (std::size_t i = 0; i < label_groups.size(); ++i) label_groups[i].place = i;
    std::ranges::sort(label_groups, [](const LabelGroup& a, const LabelGroup& b) {
        return a.popularity != b.popularity ? a.popularity > b.popularity : a.place < b.place;
    });
}

std::vector<TaintGroup> make_taint_groups(std::span<const PodRequirements> fitting_pods,
                                          const Config& config) {
    std::map<TaintKey, std::pair<std::vector<Taint>, std::map<Labels, LabelGroup>>> sorted;
    for (const auto& [pods, requirements] : fitting_pods) {
        auto& [taints, label_groups] = sorted[key_of(requirements.taints)];
        taints = requirements.taints;
        LabelGroup& label_group = label_groups[requirements.labels];
        label_group.labels = requirements.labels;
        label_group.popularity = detail::saturated(detail::Int128{label_group.popularity} +
                                                   popularity_of(*pods, config.popularity));
        label_group.count += pods->count;
        label_group.pods.push_back(pods);
    }
    std::vector<TaintGroup> out;
    for (auto& [key, group] : sorted) {
        out.push_back({std::move(group.first), {}});
        for (auto& [labels, label_group] : group.second)
            out.back().label_groups.push_back(std::move(label_group));
        sort_by_popularity(out.back().label_groups);
    }
    return out;
}

/// A set in the making.
class LabelSetBuilder {
public:
    LabelSetBuilder(const UnlabelledNode& node, const LabelGroup& first)
        : node_(node), labels_(first.labels) {
        add(first);
    }

    /// Adds the pods and their labels. False: the labels contradict the set or would keep pods off.
    bool join(const LabelGroup& label_group) {
        if (contradicts(label_group)) return false;
        Labels together = labels_;
        together.insert(label_group.labels.begin(), label_group.labels.end());
        if (together.size() > labels_.size() && !suits_all(together)) return false;
        if (!suits(together, label_group)) return false;
        labels_ = std::move(together);
        add(label_group);
        return true;
    }
    const Labels& labels() const { return labels_; }
    std::uint32_t pods() const { return pods_; }

private:
    void add(const LabelGroup& label_group) {
        members_.push_back(&label_group);
        pods_ += label_group.count;
    }
    bool contradicts(const LabelGroup& label_group) const {
        return std::ranges::any_of(label_group.labels, [&](const auto& label) {
            const auto own = labels_.find(label.first);
            return own != labels_.end() && own->second != label.second;
        });
    }
    bool suits(const Labels& labels, const LabelGroup& label_group) const {
        return std::ranges::all_of(label_group.pods, [&](const PodEquivalenceGroup* pods) {
            return takes(node_, labels, *pods);
        });
    }
    bool suits_all(const Labels& labels) const {
        return std::ranges::all_of(
            members_, [&](const LabelGroup* member) { return suits(labels, *member); });
    }

    const UnlabelledNode& node_;
    Labels labels_;
    std::uint32_t pods_ = 0;
    std::vector<const LabelGroup*> members_;
};

struct RankedLabels {
    LabelSet set{};
    std::int64_t popularity = 0;
};

/// Adds the first `max_sets` sets of one taint group.
void add_sets(const UnlabelledNode& node, const TaintGroup& group, bool alpha,
              std::vector<RankedLabels>& out) {
    std::vector<const LabelGroup*> left;
    for (const LabelGroup& label_group : group.label_groups) left.push_back(&label_group);
    for (std::size_t sets = 0; sets < max_sets && !left.empty(); ++sets) {
        const LabelGroup& leader = *left.front();
        LabelSetBuilder set(node, leader);
        left.erase(left.begin());
        if (!alpha) std::erase_if(left, [&](const LabelGroup* other) { return set.join(*other); });
        out.push_back({.set = {.requirements = {set.labels(), group.taints},
                               .pods = set.pods(),
                               .most_popular_pods = leader.count,
                               .most_popular_labels = leader.labels},
                       .popularity = leader.popularity});
    }
}

/// Keeps the `max_sets` most popular sets, in their present order.
void keep_most_popular(std::vector<RankedLabels>& sets) {
    if (sets.size() <= max_sets) return;
    std::vector<std::size_t> order(sets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::tuple(-sets[a].popularity, a) < std::tuple(-sets[b].popularity, b);
    });
    order.resize(max_sets);
    std::ranges::sort(order);
    std::vector<RankedLabels> kept;
    for (const std::size_t i : order) kept.push_back(std::move(sets[i]));
    sets = std::move(kept);
}

}  // namespace

std::vector<LabelSet> make_label_sets(const UnlabelledNode& node,
                                      std::span<const PodRequirements> fitting_pods,
                                      const Config& config) {
    std::vector<RankedLabels> ranked;
    for (const TaintGroup& group : make_taint_groups(fitting_pods, config))
        add_sets(node, group, config.alpha, ranked);
    keep_most_popular(ranked);
    std::vector<LabelSet> out;
    for (RankedLabels& each : ranked) out.push_back(std::move(each.set));
    return out;
}

}  // namespace capstan::provisioning
