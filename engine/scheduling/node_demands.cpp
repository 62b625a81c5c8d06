#include "engine/scheduling/node_demands.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/dynamic_resources.hpp"
#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/node_unschedulable.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "engine/scheduling/predicates/volume_binding.hpp"
#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::scheduling {
namespace {

// A value that no real label can have, so no pod names it and no existing node shares it.
constexpr std::string_view own_hostname = "(its own)";

bool keeps_off(const Taint& taint) noexcept { return taint.effect != Effect::prefer_no_schedule; }

/// Whether a label is read, by the symbol of its key. The text is compared once per key, not once
/// per node.
class KeysRead {
public:
    KeysRead(const snapshot::Cluster& cluster, const NodeReading& reading)
        : cluster_(cluster), reading_(reading) {}

    bool operator()(snapshot::Symbol key) {
        const auto index = static_cast<std::size_t>(key);
        if (index >= is_read_.size()) is_read_.resize(index + 1, unknown);
        if (is_read_[index] == unknown) {
            const auto text = cluster_.text(key);
            is_read_[index] = reading_.labels.contains(text) ? yes : no;
        }
        return is_read_[index] == yes;
    }

private:
    enum IsRead : std::uint8_t { unknown, no, yes };
    const snapshot::Cluster& cluster_;
    const NodeReading& reading_;
    std::vector<IsRead> is_read_;  // by symbol of the key
};

/// The properties of a node that are read, as symbols.
struct NodeKey {
    std::vector<snapshot::LabelPair> labels{};
    snapshot::Symbol name{};
    bool has_hostname = false;
    bool unschedulable = false;
    std::span<const Taint> taints{};

    bool operator==(const NodeKey& other) const noexcept {
        return labels == other.labels && name == other.name && has_hostname == other.has_hostname &&
               unschedulable == other.unschedulable &&
               std::equal(taints.begin(), taints.end(), other.taints.begin(), other.taints.end());
    }
};

std::uint64_t key_hash(const NodeKey& key) noexcept {
    snapshot::FastHash hash;
    for (const snapshot::LabelPair& pair : key.labels) {
        hash.add(static_cast<std::uint64_t>(pair.key));
        hash.add(static_cast<std::uint64_t>(pair.value));
    }
    hash.add(static_cast<std::uint64_t>(key.name));
    hash.add(std::uint64_t{key.has_hostname} * 2 + std::uint64_t{key.unschedulable});
    for (const Taint& taint : key.taints) {
        hash.add(taint.key);
        hash.add(taint.value);
    }
    return hash.value();
}

std::uint64_t profile_hash(const NodeProfile& profile) noexcept {
    snapshot::FastHash hash;
    for (const auto& [key, value] : profile.labels) {
        hash.add(key);
        hash.add(value);
    }
    hash.add(profile.name);
    for (const Taint& taint : profile.taints) hash.add(taint.key);
    return hash.value();
}

NodeProfile make_profile(const snapshot::Cluster& cluster, const NodeKey& key) {
    NodeProfile out{.name = std::string(cluster.text(key.name)),
                    .labels = snapshot::to_labels(cluster, key.labels),
                    .unschedulable = key.unschedulable};
    if (key.has_hostname)
        out.labels.try_emplace(std::string(well_known::hostname_label), own_hostname);
    std::copy_if(key.taints.begin(), key.taints.end(), std::back_inserter(out.taints), keeps_off);
    return out;
}

NodeProfile make_profile(const TemplateNode& template_node, TemplateNodeId id,
                         const NodeReading& reading) {
    NodeProfile out;
    if (reading.template_nodes.contains(id)) out.template_node = id;
    for (const auto& [key, value] : template_node.labels) {
        if (reading.labels.contains(key)) out.labels.emplace(key, value);
    }
    if (reading.has_hostname || reading.labels.contains(well_known::hostname_label))
        out.labels.insert_or_assign(std::string(well_known::hostname_label),
                                    std::string(own_hostname));
    std::copy_if(template_node.taints.begin(), template_node.taints.end(),
                 std::back_inserter(out.taints), keeps_off);
    return out;
}

NodeProfile with_promise(NodeProfile profile, const NodePromise& promise,
                         const NodeReading& reading) {
    for (const auto& [key, value] : promise.labels)
        if (reading.labels.contains(key)) profile.labels.emplace(key, value);
    std::erase_if(profile.taints, [&](const Taint& taint) {
        return std::ranges::find(promise.removed_taints, taint) != promise.removed_taints.end();
    });
    return profile;
}

/// Gives equal profiles equal ids.
class Numbering {
public:
    explicit Numbering(std::vector<NodeProfile>& profiles) : profiles_(profiles) {}

    ProfileId operator()(NodeProfile&& profile) {
        const auto hash = profile_hash(profile);
        const auto same = [&](std::uint32_t id) { return profiles_[id] == profile; };
        if (const auto found = index_.find(hash, same)) return *found;
        index_.insert(hash, static_cast<std::uint32_t>(profiles_.size()));
        profiles_.push_back(std::move(profile));
        return static_cast<ProfileId>(profiles_.size() - 1);
    }

private:
    std::vector<NodeProfile>& profiles_;
    snapshot::HashIndex index_;
};

NodeKey read_node(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                  const NodeReading& reading, KeysRead& is_read) {
    NodeKey key{.taints = node.taints};
    std::copy_if(node.labels.begin(), node.labels.end(), std::back_inserter(key.labels),
                 [&](const snapshot::LabelPair& pair) { return is_read(pair.key); });
    if (reading.name) key.name = node.name;
    key.unschedulable = node.unschedulable;
    key.has_hostname =
        reading.has_hostname &&
        snapshot::find_label(cluster, node.labels, well_known::hostname_label).has_value();
    return key;
}

}  // namespace

NodeProfiles::NodeProfiles(const snapshot::Cluster& cluster,
                           std::span<const TemplateNode> template_nodes, const NodeReading& reading,
                           std::span<const NodePromise> promises) {
    Numbering number(profiles_);
    KeysRead is_read(cluster, reading);
    // Nodes are compared by symbols first, so that texts are made once per NodeKey, not per node.
    std::vector<NodeKey> keys;
    std::vector<ProfileId> of_key;
    snapshot::HashIndex index;
    of_node_.reserve(cluster.node_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        NodeKey key = read_node(cluster, cluster.node(node), reading, is_read);
        const auto hash = key_hash(key);
        auto at = index.find(hash, [&](std::uint32_t id) { return keys[id] == key; });
        if (!at) {
            at = static_cast<std::uint32_t>(keys.size());
            index.insert(hash, *at);
            of_key.push_back(number(make_profile(cluster, key)));
            keys.push_back(std::move(key));
        }
        of_node_.push_back(of_key[*at]);
    }
    for (const NodePromise& promise : promises)
        of_node_[promise.node] =
            number(with_promise(NodeProfile(profiles_[of_node_[promise.node]]), promise, reading));
    of_template_node_.reserve(template_nodes.size());
    for (TemplateNodeId template_node = 0; template_node < template_nodes.size(); ++template_node)
        of_template_node_.push_back(
            number(make_profile(template_nodes[template_node], template_node, reading)));
}

namespace {

void add_requirements(snapshot::FastHash& hash,
                      const std::vector<Requirement>& requirements) noexcept {
    hash.add(requirements.size());
    for (const Requirement& requirement : requirements) {
        hash.add(requirement.key);
        for (const std::string& value : requirement.values) hash.add(value);
    }
}

std::uint64_t demand_hash(const NodeDemand& demand) noexcept {
    snapshot::FastHash hash;
    for (const Toleration& toleration : demand.spec->tolerations) {
        hash.add(toleration.key);
        hash.add(toleration.value);
    }
    for (const auto& [key, value] : demand.spec->node_selector) {
        hash.add(key);
        hash.add(value);
    }
    for (const NodeSelectorTerm& term : demand.spec->affinity_required) {
        add_requirements(hash, term.labels);
        add_requirements(hash, term.fields);
    }
    for (const VolumeCondition& condition : demand.volumes.conditions) {
        hash.add(condition.sentence);
        for (const NodeSelectorTerm& term : condition.any_of) add_requirements(hash, term.labels);
    }
    return hash.value();
}

bool is_same_demand(const NodeDemand& a, const NodeDemand& b) {
    return a.spec->tolerations == b.spec->tolerations &&
           a.spec->node_selector == b.spec->node_selector &&
           a.spec->affinity_required == b.spec->affinity_required &&
           a.spec->uses_resource_claims == b.spec->uses_resource_claims &&
           a.volumes.refusal == b.volumes.refusal && a.volumes.conditions == b.volumes.conditions &&
           a.refused == b.refused;
}

void read_by(const std::vector<NodeSelectorTerm>& terms, NodeReading& reading) {
    for (const NodeSelectorTerm& term : terms) {
        for (const Requirement& requirement : term.labels) reading.labels.insert(requirement.key);
        if (!term.fields.empty()) reading.name = true;
    }
}

}  // namespace

Refusal ask(const NodeDemand& demand, const NodeFacts& node) {
    const snapshot::PodSpec& pod = *demand.spec;
    const auto refused = [](Predicate predicate, std::optional<std::string>&& sentence,
                            std::string_view subject = {}) {
        return Refusal{predicate, *std::move(sentence), std::string(subject)};
    };
    if (auto why = check_node_unschedulable(pod, node))
        return refused(Predicate::node_unschedulable, std::move(why));
    if (auto why = check_taint_toleration(pod, node))
        return refused(Predicate::taint_toleration, std::move(why),
                       find_untolerated_taint(pod, node.taints)->key);
    if (auto why = check_node_affinity(pod, node))
        return refused(Predicate::node_affinity, std::move(why), find_unmet_key(pod, node));
    if (auto why = check_volume_binding(demand.volumes, node)) return *std::move(why);
    if (auto why = check_dynamic_resources(pod))
        return refused(Predicate::dynamic_resources, std::move(why));
    if (node.template_node) {
        const auto found = demand.refused.find(*node.template_node);
        if (found != demand.refused.end()) return found->second;
    }
    return {};
}

int count_failing(const NodeDemand& demand, const NodeFacts& node) {
    const snapshot::PodSpec& pod = *demand.spec;
    const bool is_refused = node.template_node && demand.refused.contains(*node.template_node);
    const std::initializer_list<bool> failing{
        check_node_unschedulable(pod, node).has_value(),
        find_untolerated_taint(pod, node.taints) != nullptr,
        !selects(pod, node),
        check_volume_binding(demand.volumes, node).has_value(),
        check_dynamic_resources(pod).has_value(),
        is_refused};
    return static_cast<int>(std::ranges::count(failing, true));
}

DemandId NodeDemands::add(NodeDemand demand) {
    const auto hash = demand_hash(demand);
    const auto same = [&](std::uint32_t id) { return is_same_demand(demands_[id], demand); };
    if (const auto found = index_.find(hash, same)) return *found;
    const auto id = static_cast<DemandId>(demands_.size());
    index_.insert(hash, id);
    demands_.push_back(std::move(demand));
    verdicts_.emplace_back();
    return id;
}

void NodeDemands::read_by(NodeReading& reading) const {
    for (const NodeDemand& demand : demands_) {
        for (const auto& [key, value] : demand.spec->node_selector) reading.labels.insert(key);
        scheduling::read_by(demand.spec->affinity_required, reading);
        for (const VolumeCondition& condition : demand.volumes.conditions)
            scheduling::read_by(condition.any_of, reading);
        for (const auto& [template_node, refusal] : demand.refused)
            reading.template_nodes.insert(template_node);
    }
}

void NodeDemands::set_profiles(const NodeProfiles& profiles) { profiles_ = &profiles; }

Predicate NodeDemands::find_verdict(DemandId id, ProfileId profile) const {
    std::vector<Predicate>& row = verdicts_[id];
    if (row.empty()) row.assign(profiles_->size(), unknown);
    return row[profile] = ask(demands_[id], (*profiles_)[profile].facts()).predicate;
}

}  // namespace capstan::engine::scheduling
