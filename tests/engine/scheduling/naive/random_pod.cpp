#include "naive/random_cluster.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

const std::vector<std::string> topology_keys{
    "zone", "zone", "kubernetes.io/hostname", "kubernetes.io/hostname", "rack", "absent"};

Requirement node_requirement(Dice& dice) {
    switch (dice.below(9)) {
        case 0: return {"zone", Operator::in, {dice.word({"1", "2"}), "3"}};
        case 1: return {"zone", Operator::not_in, {dice.word({"1", "2", "3"})}};
        case 2: return {dice.word({"disk", "rack"}), Operator::exists, {}};
        case 3: return {"disk", Operator::does_not_exist, {}};
        case 4: return {"cores", Operator::gt, {dice.word({"4", "8", "many"})}};
        case 5: return {"cores", Operator::lt, {dice.word({"4", "8"})}};
        case 6: return {"kubernetes.io/hostname", Operator::in, {"n1", "template"}};
        case 7: return {"kubernetes.io/hostname", Operator::exists, {}};
        default: return {"kubernetes.io/hostname", Operator::not_in, {"n0", "template"}};
    }
}

NodeSelectorTerm node_term(Dice& dice) {
    NodeSelectorTerm out;
    for (int i = dice.below(3); i > 0; --i) out.labels.push_back(node_requirement(dice));
    if (dice.chance(20)) {
        const Operator op = dice.chance(50) ? Operator::in : Operator::not_in;
        out.fields.push_back({"metadata.name", op, {dice.word({"n0", "n1", "n2"})}});
    }
    return out;
}

LabelSelector pod_selector(Dice& dice) {
    switch (dice.below(8)) {
        case 0: return {};
        case 1: return {.match_expressions = {{"app", Operator::not_in, {dice.word({"a", "b"})}}}};
        case 2: return {.match_expressions = {{"tier", Operator::exists, {}}}};
        case 3: return {.match_expressions = {{"app", Operator::in, {"a", dice.word({"b", "c"})}}}};
        default: return {.match_labels = {{"app", dice.word({"a", "b", "c"})}}};
    }
}

LabelSelector namespace_selector(Dice& dice) {
    if (dice.chance(30)) return {};
    if (dice.chance(30)) return {.match_expressions = {{"team", Operator::not_in, {"x"}}}};
    return {.match_labels = {{"team", dice.word({"x", "y"})}}};
}

snapshot::PodTerm pod_term(Dice& dice) {
    snapshot::PodTerm out{.topology_key = dice.one_of(topology_keys)};
    if (!dice.chance(4)) out.selector = pod_selector(dice);
    if (dice.chance(15)) out.namespaces = {dice.word({"default", "shop"})};
    if (dice.chance(15)) out.namespace_selector = namespace_selector(dice);
    if (dice.chance(10)) out.match_label_keys = {dice.word({"rev", "tier"})};
    if (dice.chance(10)) out.mismatch_label_keys = {dice.word({"rev", "tier"})};
    return out;
}

snapshot::SpreadConstraint constraint(Dice& dice, const std::string& key) {
    snapshot::SpreadConstraint out{.max_skew = dice.between(1, 3), .topology_key = key};
    if (!dice.chance(4)) out.selector = pod_selector(dice);
    if (dice.chance(25)) out.min_domains = dice.between(1, 4);
    out.honor_affinity = dice.chance(75);
    out.honor_taints = dice.chance(30);
    if (dice.chance(15)) out.match_label_keys = {dice.word({"rev", "tier"})};
    return out;
}

std::vector<snapshot::SpreadConstraint> spread(Dice& dice) {
    std::vector<std::string> keys{"zone", "kubernetes.io/hostname", "rack"};
    std::vector<snapshot::SpreadConstraint> out{constraint(dice, dice.one_of(keys))};
    std::erase(keys, out.front().topology_key);
    if (dice.chance(35)) out.push_back(constraint(dice, dice.one_of(keys)));
    return out;
}

Toleration toleration(Dice& dice) {
    Toleration out{.key = dice.word({"dedicated", "dedicated", "broken", ""}),
                   .op = dice.chance(50) ? Toleration::Op::exists : Toleration::Op::equal,
                   .value = dice.word({"gpu", "db"})};
    if (out.key.empty()) out.op = Toleration::Op::exists;
    if (dice.chance(40)) {
        out.effect = dice.chance(70) ? Effect::no_schedule : Effect::no_execute;
    }
    return out;
}

Resources requests(Dice& dice) {
    Resources out;
    if (dice.chance(80)) out.set("cpu", dice.below(6) * 250);
    if (dice.chance(50)) out.set("memory", dice.below(4) * 500);
    if (dice.chance(8)) out.set("example.com/gpu", dice.between(1, 2));
    return out;
}

void add_pod_terms(Dice& dice, const Frequencies& frequencies, snapshot::PodSpec& spec) {
    for (std::vector<snapshot::PodTerm>* terms : {&spec.pod_affinity, &spec.pod_anti_affinity}) {
        if (!dice.chance(frequencies.affinity)) continue;
        terms->push_back(pod_term(dice));
        if (dice.chance(25)) terms->push_back(pod_term(dice));
    }
    if (dice.chance(frequencies.spread)) spec.spread = spread(dice);
}

}  // namespace

snapshot::PodObject make_random_pod(Dice& dice, const Frequencies& frequencies) {
    snapshot::PodObject out{.ns = dice.word({"default", "default", "default", "shop", "ops"})};
    out.labels["app"] = dice.word({"a", "b", "c"});
    if (dice.chance(40)) out.labels["tier"] = dice.word({"front", "back"});
    if (dice.chance(40)) out.labels["rev"] = dice.word({"1", "2"});
    snapshot::PodSpec& spec = out.spec;
    spec.requests = requests(dice);
    if (dice.chance(frequencies.node_affinity))
        spec.node_selector = {{"zone", dice.word({"1", "2"})}};
    if (dice.chance(frequencies.node_affinity)) {
        for (int i = dice.between(1, 2); i > 0; --i) {
            spec.affinity_required.push_back(node_term(dice));
        }
    }
    if (dice.chance(2 * frequencies.taints)) spec.tolerations.push_back(toleration(dice));
    add_pod_terms(dice, frequencies, spec);
    if (dice.chance(frequencies.ports)) {
        spec.ports.push_back({dice.word({"", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"}),
                              dice.word({"TCP", "TCP", "UDP"}), dice.between(80, 81)});
    }
    if (dice.chance(frequencies.volumes)) {
        out.claims.push_back("c" + std::to_string(dice.below(14)));
        if (dice.chance(30)) out.claims.push_back("c" + std::to_string(dice.below(14)));
        if (dice.chance(20)) spec.in_tree_volumes = {{"ebs", dice.word({"old", "disk"})}};
    }
    spec.uses_resource_claims = dice.chance(1);
    return out;
}

}  // namespace capstan::engine::scheduling::naive
