#include "naive/random_cluster.hpp"

#include <algorithm>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

/// Adds the claims c0 to c11, of all kinds. Pods also name c12 and c13, which do not exist.
void add_claims(snapshot::ClusterBuilder& builder, const std::string& ns) {
    const auto add = [&](int n, const std::string& volume, const std::string& of,
                         std::vector<std::string> modes = {"ReadWriteOnce"},
                         const std::string& selected = "") {
        builder.set(snapshot::ClaimObject{.ns = ns,
                                          .name = "c" + std::to_string(n),
                                          .volume = volume,
                                          .storage_class = of,
                                          .selected_node = selected,
                                          .requested_bytes = 10,
                                          .access_modes = std::move(modes)});
    };
    add(0, "pinned", "late");
    add(1, "labelled", "late");
    add(2, "shared", "late", {"ReadWriteMany"});
    add(3, "shared", "late", {"ReadWriteOncePod"});
    add(4, "", "late");
    add(5, "", "pinned");
    add(6, "", "local");
    add(7, "", "tracked");
    add(8, "", "late", {"ReadWriteOncePod"}, "n1");
    add(9, "", "now");
    add(10, "in-tree", "late");
    add(11, "", "in-tree");
}

void add_storage_classes(snapshot::ClusterBuilder& builder) {
    builder.set(snapshot::StorageClassObject{.name = "now", .provisioner = "ebs"});
    builder.set(snapshot::StorageClassObject{
        .name = "late", .provisioner = "ebs", .waits_for_consumer = true});
    builder.set(snapshot::StorageClassObject{
        .name = "pinned",
        .provisioner = "ebs",
        .waits_for_consumer = true,
        .allowed_topologies = {{.labels = {{"zone", Operator::in, {"1", "2"}}}}}});
    builder.set(snapshot::StorageClassObject{.name = "local",
                                             .provisioner = "kubernetes.io/no-provisioner",
                                             .waits_for_consumer = true});
    builder.set(snapshot::StorageClassObject{
        .name = "tracked", .provisioner = "lvm", .waits_for_consumer = true});
    builder.set(snapshot::StorageClassObject{.name = "in-tree",
                                             .provisioner = "kubernetes.io/aws-ebs",
                                             .migrated_to = "ebs",
                                             .waits_for_consumer = true});
    builder.set(snapshot::CsiDriverObject{.name = "lvm", .storage_capacity = true});
}

void add_storage(snapshot::ClusterBuilder& builder, Dice& dice) {
    add_storage_classes(builder);
    builder.set(
        snapshot::VolumeObject{.name = "pinned",
                               .node_affinity = {{.labels = {{"zone", Operator::in, {"1"}}}}, {}},
                               .driver = "ebs",
                               .handle = "pinned"});
    builder.set(snapshot::VolumeObject{
        .name = "labelled",
        .labels = {{"topology.kubernetes.io/zone", dice.word({"1", "1__2", "1__"})}},
        .driver = "ebs",
        .handle = "labelled"});
    builder.set(snapshot::VolumeObject{.name = "shared", .driver = "ebs", .handle = "shared"});
    builder.set(snapshot::VolumeObject{
        .name = "in-tree", .driver = "ebs", .handle = "old", .in_tree = true});
    builder.set(
        snapshot::VolumeObject{.name = "free",
                               .node_affinity = {{.labels = {{"rack", Operator::exists, {}}}}},
                               .storage_class = "local",
                               .capacity_bytes = dice.between(9, 11),
                               .access_modes = {"ReadWriteOnce"}});
    builder.set(
        snapshot::CsiCapacityObject{.name = "one",
                                    .storage_class = "tracked",
                                    .topology = LabelSelector{.match_labels = {{"zone", "2"}}},
                                    .capacity_bytes = dice.between(9, 11)});
    for (const std::string ns : {"default", "shop", "ops"}) add_claims(builder, ns);
}

void add_namespaces(snapshot::ClusterBuilder& builder, Dice& dice) {
    builder.set(snapshot::NamespaceObject{"default", {{"team", "x"}}});
    builder.set(snapshot::NamespaceObject{"shop", {{"team", "y"}}});
    if (dice.chance(70)) builder.set(snapshot::NamespaceObject{"ops", {}});  // otherwise unknown
}

Resources allocatable(Dice& dice) {
    Resources out{{"cpu", dice.between(2, 8) * 500},
                  {"memory", dice.between(1, 5) * 1000},
                  {"pods", dice.between(3, 9)}};
    if (dice.chance(20)) out.set("example.com/gpu", dice.between(0, 3));
    return out;
}

/// The template with pool=b, and sometimes with disk=ssd.
TemplateNode make_another(Dice& dice, TemplateNode template_node) {
    template_node.labels["pool"] = "b";
    if (dice.chance(30)) template_node.labels["disk"] = "ssd";
    return template_node;
}

TemplateNode make_random_template_node(Dice& dice, const Frequencies& frequencies,
                                       const std::vector<PodGroupId>& kinds) {
    const snapshot::NodeObject node = make_random_node(dice, frequencies, "template");
    TemplateNode out{.labels = node.labels, .taints = node.taints, .allocatable = node.allocatable};
    for (int i = dice.below(3); i > 0; --i) out.daemons.push_back(dice.one_of(kinds));
    if (dice.chance(2 * frequencies.volumes)) out.csi_limits = {{"ebs", dice.below(3)}};
    if (dice.chance(frequencies.volumes)) out.csi_migrated = {"ebs"};
    return out;
}

void add_nodes(snapshot::ClusterBuilder& builder, Dice& dice, const Frequencies& frequencies,
               int nodes) {
    for (int i = 0; i < nodes; ++i) {
        snapshot::NodeObject node = make_random_node(dice, frequencies, "n" + std::to_string(i));
        node.unschedulable = dice.chance(5);
        builder.set(node);
        if (!dice.chance(2 * frequencies.volumes)) continue;
        snapshot::CsiNodeObject csi{.name = node.name,
                                    .limits = {{"ebs", dice.below(3)}, {"lvm", std::nullopt}}};
        if (dice.chance(50)) csi.migrated = {"ebs"};
        builder.set(std::move(csi));
    }
}

LabelSelector some_selector(Dice& dice) {
    LabelSelector out;
    if (dice.chance(70)) out.match_labels["app"] = dice.word({"a", "b", "c"});
    if (dice.chance(20)) out.match_expressions = {{"tier", Operator::exists, {}}};
    if (dice.chance(20)) out.match_expressions = {{"rev", Operator::not_in, {"1"}}};
    return out;
}

/// Some of the controllers c0 to c2 of each kind, and Services with random selectors.
void add_selectors(snapshot::ClusterBuilder& builder, Dice& dice) {
    for (const std::string ns : {"default", "shop", "ops"}) {
        for (const char* kind : {"ReplicaSet", "StatefulSet", "ReplicationController", "Job"}) {
            for (int i = 0; i < 3; ++i) {
                snapshot::ControllerObject object{
                    .kind = kind, .ns = ns, .name = "c" + std::to_string(i)};
                if (dice.chance(80)) object.selector = some_selector(dice);
                if (object.selector && object.kind == "ReplicationController")
                    object.selector->match_expressions.clear();
                if (dice.chance(80)) builder.set(object);
            }
        }
        for (int i = dice.below(4); i > 0; --i) {
            snapshot::ServiceObject object{.ns = ns, .name = "s" + std::to_string(i)};
            if (dice.chance(80)) object.selector["app"] = dice.word({"a", "b", "c"});
            if (dice.chance(30)) object.selector["tier"] = dice.word({"front", "back"});
            if (dice.chance(30)) object.selector["rev"] = dice.word({"1", "2"});
            builder.set(object);
        }
    }
}

snapshot::PodOwner some_owner(Dice& dice) {
    snapshot::PodOwner out{
        .kind = dice.word({"ReplicaSet", "StatefulSet", "ReplicationController", "Job"}),
        .api_group = "apps",
        .name = "c" + std::to_string(dice.below(4))};
    if (out.kind == "ReplicationController") out.api_group = "";
    if (out.kind == "Job") out.api_group = "batch";
    if (dice.chance(10)) out.api_group = "example.com";
    return out;
}

std::vector<snapshot::DefaultSpread> some_default_spread(Dice& dice) {
    std::vector<std::string> keys{"zone", "kubernetes.io/hostname", "rack"};
    std::vector<snapshot::DefaultSpread> out{
        {.topology_key = dice.one_of(keys), .max_skew = dice.between(1, 3)}};
    std::erase(keys, out.front().topology_key);
    if (dice.chance(40))
        out.push_back({.topology_key = dice.one_of(keys), .max_skew = dice.between(1, 3)});
    return out;
}

}  // namespace

snapshot::NodeObject make_random_node(Dice& dice, const Frequencies& frequencies,
                                      const std::string& name) {
    snapshot::NodeObject out{.name = name, .allocatable = allocatable(dice)};
    out.capacity = out.allocatable;
    if (!dice.chance(5)) out.labels["kubernetes.io/hostname"] = name;
    if (!dice.chance(12)) out.labels["zone"] = dice.word({"1", "2", "3"});
    if (dice.chance(50)) out.labels["rack"] = dice.word({"r1", "r2"});
    if (dice.chance(50)) out.labels["disk"] = dice.word({"ssd", "hdd"});
    if (dice.chance(40)) out.labels["cores"] = dice.word({"2", "4", "8", "16", "x"});
    if (dice.chance(40)) out.labels["topology.kubernetes.io/zone"] = dice.word({"1", "2"});
    if (dice.chance(frequencies.taints)) {
        out.taints.push_back({"dedicated", dice.word({"gpu", "db"}), Effect::no_schedule});
    }
    if (dice.chance(frequencies.taints / 2))
        out.taints.push_back({"broken", "", Effect::no_execute});
    if (dice.chance(frequencies.taints))
        out.taints.push_back({"soft", "", Effect::prefer_no_schedule});
    return out;
}

RandomCluster make_random_cluster(std::uint64_t seed, const Sizes& sizes,
                                  const Frequencies& frequencies) {
    Dice dice(seed);
    snapshot::ClusterBuilder builder;
    add_namespaces(builder, dice);
    add_storage(builder, dice);
    add_nodes(builder, dice, frequencies, sizes.nodes);
    std::vector<snapshot::PodObject> kinds;
    for (int i = 0; i < sizes.kinds; ++i) kinds.push_back(make_random_pod(dice, frequencies));
    std::vector<snapshot::DefaultSpread> default_spread;
    if (frequencies.default_spread > 0 && dice.chance(frequencies.default_spread)) {
        default_spread = some_default_spread(dice);
        add_selectors(builder, dice);
        for (snapshot::PodObject& kind : kinds) {
            if (dice.chance(70)) kind.owner = some_owner(dice);
            kind.spec.has_soft_spread = dice.chance(10);
        }
    }
    for (int i = 0; i < sizes.bound; ++i) {
        snapshot::PodObject pod = dice.one_of(kinds);
        pod.name = "p" + std::to_string(i);
        // The last index is a node that does not exist.
        pod.node_name = "n" + std::to_string(dice.below(sizes.nodes + 1));
        if (dice.chance(15)) pod.deleted = Time{};
        builder.set(pod);
    }
    std::vector<PodGroupId> equivalence_groups;
    for (const snapshot::PodObject& kind : kinds)
        equivalence_groups.push_back(builder.add_equivalence_group(kind));
    std::vector<TemplateNode> template_nodes;
    for (int i = 0; i < sizes.template_nodes; ++i) {
        template_nodes.push_back(
            i > 0 && dice.chance(30)
                ? make_another(dice, dice.one_of(template_nodes))
                : make_random_template_node(dice, frequencies, equivalence_groups));
    }

    std::vector<PodGroupId> pod_groups = equivalence_groups;
    std::sort(pod_groups.begin(), pod_groups.end());
    pod_groups.erase(std::unique(pod_groups.begin(), pod_groups.end()), pod_groups.end());
    if (pod_groups.size() > 2) pod_groups.pop_back();  // the pods of the last are only bound
    return {builder.build(), std::move(pod_groups), std::move(template_nodes),
            std::move(default_spread)};
}

}  // namespace capstan::engine::scheduling::naive
