#include "node_requirements.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taints.hpp>
#include <capstan/well_known.hpp>

namespace capstan::provisioning {
namespace {

/// Labels that follow from the machine. A pod that asks for one asks for a machine that has it; no
/// label can be added for it.
constexpr std::array<std::string_view, 13> machine_keys{well_known::arch_label,
                                                        well_known::os_label,
                                                        well_known::hostname_label,
                                                        well_known::instance_type_label,
                                                        well_known::lifecycle_label,
                                                        well_known::windows_build_label,
                                                        well_known::zone_label,
                                                        well_known::region_label,
                                                        well_known::beta_arch_label,
                                                        well_known::beta_os_label,
                                                        well_known::beta_instance_type_label,
                                                        well_known::beta_zone_label,
                                                        well_known::beta_region_label};

bool is_of_machine(std::string_view key) {
    return std::ranges::find(machine_keys, key) != machine_keys.end();
}

/// Taints with these keys are set by Kubernetes itself, so no node is dedicated by them.
bool is_of_system(std::string_view key) {
    return key.starts_with(well_known::node_prefix) ||
           key.starts_with(well_known::node_cloud_provider_prefix) ||
           key.starts_with(well_known::node_role_prefix);
}

/// Domains of labels that clouds and Kubernetes give to nodes; subdomains count as well.
constexpr std::array<std::string_view, 8> given_domains{
    "kubernetes.io", "k8s.io",  "cloud.google.com", "gke.io",
    "amazonaws.com", "k8s.aws", "azure.com",        "karpenter.sh"};

/// Subdomains of `given_domains` whose labels users give to nodes.
constexpr std::array<std::string_view, 4> user_domains{
    "node.kubernetes.io", "kubelet.kubernetes.io", "node-restriction.kubernetes.io",
    "node-role.kubernetes.io"};

/// The domain of Node Feature Discovery, whose labels follow from the hardware.
constexpr std::string_view feature_domain = "feature.node.kubernetes.io";

/// Whether a cloud or Kubernetes gives nodes the label: a group made with it would claim what its
/// machines are not.
bool is_given(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view domain = key.substr(0, slash);
    const auto is_under = [&](std::string_view of) {
        return domain == of ||
               (domain.ends_with(of) && domain[domain.size() - of.size() - 1] == '.');
    };
    if (domain == feature_domain) return true;
    return !std::ranges::any_of(user_domains, is_under) &&
           std::ranges::any_of(given_domains, is_under);
}

/// Adds `key=value` to `required` unless the machine has it. The error says why no group can have
/// the label.
Result<void> require_label(const UnlabelledNode& node, const std::string& key,
                           const std::string& value, Labels& required) {
    const auto refuse = [&](const std::string& has) {
        return fail(ErrorCode::unsupported, "requires label " + key + "=" + value + ", " + has);
    };
    const auto own = node.labels.find(key);
    if (own != node.labels.end()) {
        if (own->second != value) return refuse("but the machine has " + in_quotes(own->second));
        return {};
    }
    if (is_of_machine(key)) return refuse("which the machine does not have");
    if (is_given(key))
        return refuse("which the machine does not have and only the cloud or Kubernetes sets");
    // Selectors of pods are checked for this when they are created, values in their affinity are
    // not.
    if (!is_label_value(value)) return refuse("which is not a valid label value");
    const auto [at, is_new] = required.emplace(key, value);
    if (!is_new && at->second != value) return refuse("and also " + in_quotes(at->second));
    return {};
}

/// The labels that the node selector and one term of the node affinity require. `term` is NULL for
/// a pod without one.
Result<Labels> labels_for(const UnlabelledNode& node, const PodEquivalenceGroup& pods,
                          const NodeSelectorTerm* term) {
    Labels out;
    for (const auto& [key, value] : pods.node_selector)
        CAPSTAN_CHECK(require_label(node, key, value, out));
    if (term == nullptr) return out;
    for (const Requirement& requirement : term->labels) {
        if (requirement.op == Operator::in && requirement.values.size() == 1)
            CAPSTAN_CHECK(require_label(node, requirement.key, requirement.values.front(), out));
    }
    Labels all = node.labels;
    all.insert(out.begin(), out.end());
    if (!matches(*term, all, {}))
        return fail(ErrorCode::unsupported, "no labels satisfy its node affinity");
    return out;
}

Result<Labels> find_labels(const UnlabelledNode& node, const PodEquivalenceGroup& pods) {
    if (pods.affinity_required.empty()) return labels_for(node, pods, nullptr);
    Result<Labels> first = labels_for(node, pods, &pods.affinity_required.front());
    for (std::size_t i = 1; i < pods.affinity_required.size() && !first; ++i) {
        if (auto other = labels_for(node, pods, &pods.affinity_required[i])) return other;
    }
    return first;
}

/// Whether a pod with this toleration gets nodes with the taint that it tolerates.
bool dedicates(const Toleration& toleration, const Labels& required, Dedicated dedicated) {
    if (dedicated == Dedicated::off || toleration.op != Toleration::Op::equal) return false;
    if (toleration.key.empty() || toleration.value.empty() || is_of_system(toleration.key))
        return false;
    if (toleration.effect == Effect::prefer_no_schedule) return false;
    if (dedicated == Dedicated::toleration) return true;
    const auto selected = required.find(toleration.key);
    return selected != required.end() && selected->second == toleration.value;
}

std::vector<Taint> taints_for(const UnlabelledNode& node, const PodEquivalenceGroup& pods,
                              const Labels& required, Dedicated dedicated) {
    std::vector<Taint> out;
    for (const Toleration& toleration : pods.tolerations) {
        if (!dedicates(toleration, required, dedicated)) continue;
        const bool is_there = std::ranges::any_of(
            node.taints, [&](const Taint& t) { return t.key == toleration.key; });
        if (is_there) continue;
        out.push_back(
            {toleration.key, toleration.value, toleration.effect.value_or(Effect::no_schedule)});
    }
    const auto order = [](const Taint& a, const Taint& b) {
        return std::tie(a.key, a.value, a.effect) < std::tie(b.key, b.value, b.effect);
    };
    std::ranges::sort(out, order);
    // A node has one taint of a key and an effect at most.
    std::vector<Taint> kept;
    for (Taint& taint : out) {
        const bool is_new = std::ranges::none_of(kept, [&](const Taint& other) {
            return other.key == taint.key && other.effect == taint.effect;
        });
        if (is_new) kept.push_back(std::move(taint));
    }
    return kept;
}

/// The requests of a pod, with one of the resource "pods".
Resources needed_by(const PodEquivalenceGroup& pods) {
    Resources out = pods.requests;
    if (!out.find("pods")) out.set("pods", 1);
    return out;
}

}  // namespace

UnlabelledNode make_unlabelled_node(const MachineType& type, const MachineOffering& offer) {
    UnlabelledNode out{.labels = offer.labels, .taints = type.taints, .room = type.allocatable};
    out.labels.insert(type.labels.begin(), type.labels.end());
    out.labels.emplace(well_known::instance_type_label, type.name);
    if (!offer.zone.empty()) out.labels.emplace(well_known::zone_label, offer.zone);
    // 110 is the kubelet's default, for a cloud that does not say how many pods a machine runs.
    if (!out.room.find("pods")) out.room.set("pods", 110);
    return out;
}

Result<NodeRequirements> find_requirements(const UnlabelledNode& node,
                                           const PodEquivalenceGroup& pods, Dedicated dedicated) {
    NodeRequirements out;
    CAPSTAN_TRY(out.labels, find_labels(node, pods));
    out.taints = taints_for(node, pods, out.labels, dedicated);
    if (const Taint* taint = find_untolerated(node.taints, pods.tolerations)) {
        return fail(ErrorCode::unsupported,
                    "it does not tolerate " + to_string(*taint) + " of the machine");
    }
    if (const auto shortage = find_shortage(needed_by(pods), node.room))
        return fail(ErrorCode::out_of_capacity, *shortage);
    return out;
}

bool takes(const UnlabelledNode& node, const Labels& added, const PodEquivalenceGroup& pods) {
    Labels all = node.labels;
    all.insert(added.begin(), added.end());
    return selects(pods, all, {});
}

}  // namespace capstan::provisioning
