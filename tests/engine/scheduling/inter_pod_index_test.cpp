#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TestPod labelled(const std::string& value, snapshot::PodSpec spec = {}) {
    return {.labels = {{"app", value}}, .spec = std::move(spec)};
}
snapshot::PodSpec together(std::vector<snapshot::PodTerm> terms) {
    return {.pod_affinity = std::move(terms)};
}
snapshot::PodSpec apart(std::vector<snapshot::PodTerm> terms) {
    return {.pod_anti_affinity = std::move(terms)};
}

/// Nodes a and b in zone 1, c in zone 2, d without a zone.
struct FourNodes : SchedulingCluster {
    FourNodes() {
        node("a", in_zone("1"));
        node("b", in_zone("1"));
        node("c", in_zone("2"));
        node("d", {});
    }
};

/// The slots with room for one more pod, ascending.
std::vector<Slot> nodes_with_room(const Placement& placement, PodGroupIndex pod_group) {
    std::vector<Slot> out;
    for (Slot slot = 0; slot < placement.slot_count(); ++slot) {
        const bool open = placement.room(pod_group, slot, 1).in_all == 1;
        EXPECT_EQ(open, placement.why_not(pod_group, slot).predicate == Predicate::none) << slot;
        EXPECT_EQ(open, placement.find(pod_group, slot, slot + 1).has_value()) << slot;
        if (open) out.push_back(slot);
    }
    return out;
}

TEST(PodAffinity, RequiresAMatchingPodInTheDomain) {
    FourNodes cluster;
    cluster.bound("db-0", "b", labelled("db"));
    const auto by_zone = cluster.pod_group(labelled("web", together({near(zone_key, app("db"))})));
    const auto by_node =
        cluster.pod_group(labelled("web", together({near(hostname_key, app("db"))})));
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(nodes_with_room(placement, by_zone), (std::vector<Slot>{0, 1}));
    EXPECT_EQ(nodes_with_room(placement, by_node), (std::vector<Slot>{1}));
    EXPECT_EQ(placement.why_not(by_zone, 2),
              (Refusal{Predicate::inter_pod_affinity,
                       "node(s) didn't match pod affinity rules: topology.kubernetes.io/zone=2 has "
                       "none of the pods with app=db in namespace default"}));
    EXPECT_EQ(placement.why_not(by_zone, 3).sentence,
              "node(s) didn't match pod affinity rules: the node has no label "
              "topology.kubernetes.io/zone");
}

TEST(PodAffinity, RequiresOnePodThatMatchesAllTerms) {
    FourNodes cluster;
    cluster.bound("x", "a", {.labels = {{"app", "db"}}});
    cluster.bound("y", "a", {.labels = {{"tier", "back"}}});
    const LabelSelector back{.match_labels = {{"tier", "back"}}};
    const auto both = cluster.pod_group(
        labelled("web", together({near(zone_key, app("db")), near(zone_key, back)})));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(nodes_with_room(Placement(predicates), both), (std::vector<Slot>{}));
    cluster.bound("z", "c", {.labels = {{"app", "db"}, {"tier", "back"}}});
    CompiledPredicates with_one = cluster.predicates();
    EXPECT_EQ(nodes_with_room(Placement(with_one), both), (std::vector<Slot>{2}));
}

TEST(PodAffinity, AllowsTheFirstPodInEveryDomainIfItMatchesItself) {
    FourNodes cluster;
    const auto web = cluster.pod_group(labelled("web", together({near(zone_key, app("web"))})));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{0, 1, 2}));
    EXPECT_EQ(placement.room(web, 0, 7), (Room{7, 7}));
    placement.place(web, 2, 1);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{2}));
    placement.undo(0);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{0, 1, 2}));
}

TEST(PodAffinity, KeepsAllPodsOnTheNewNodeOfTheFirst) {
    SchedulingCluster cluster;
    const auto web = cluster.pod_group(labelled("web", together({near(hostname_key, app("web"))})));
    const auto template_node = cluster.template_node({.pods = 4});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Slot slot = placement.add(template_node, 3);
    EXPECT_EQ(placement.room(web, slot, 100), (Room{4, 4}));
    const Slot one = placement.split(slot, 1);
    placement.place(web, one, 1);
    EXPECT_EQ(placement.room(web, one, 100), (Room{3, 3}));
    EXPECT_EQ(placement.room(web, slot, 100), (Room{0, 0}));
}

TEST(PodAffinity, HonoursNamespacesAndNamespaceSelector) {
    snapshot::PodTerm listed = near(zone_key, app("db"));
    listed.namespaces = {"prod"};
    snapshot::PodTerm like = near(zone_key, app("db"));
    like.namespace_selector = LabelSelector{.match_labels = {{"team", "x"}}};
    snapshot::PodTerm by_name = near(zone_key, app("db"));
    by_name.namespace_selector =
        LabelSelector{.match_labels = {{"kubernetes.io/metadata.name", "test"}}};
    snapshot::PodTerm any = near(zone_key, app("db"));
    any.namespace_selector = LabelSelector{};
    FourNodes cluster;
    cluster.builder.set(snapshot::NamespaceObject{.name = "prod", .labels = {{"team", "y"}}});
    cluster.builder.set(snapshot::NamespaceObject{.name = "test", .labels = {{"team", "x"}}});
    cluster.bound("in-prod", "a", {.labels = {{"app", "db"}}, .ns = "prod"});
    cluster.bound("in-test", "c", {.labels = {{"app", "db"}}, .ns = "test"});
    const struct {
        const char* name;
        snapshot::PodTerm term;
        std::vector<Slot> open;
    } cases[] = {{"own namespace", near(zone_key, app("db")), {}},
                 {"listed", listed, {0, 1}},
                 {"selected by label", like, {2}},
                 {"selected by name", by_name, {2}},
                 {"every namespace", any, {0, 1, 2}}};
    std::vector<PodGroupIndex> pod_groups;
    for (const auto& c : cases)
        pod_groups.push_back(cluster.pod_group(labelled("w", together({c.term}))));
    CompiledPredicates predicates = cluster.predicates();
    for (std::size_t i = 0; i < std::size(cases); ++i)
        EXPECT_EQ(nodes_with_room(Placement(predicates), pod_groups[i]), cases[i].open)
            << cases[i].name;
}

TEST(PodAffinity, MatchesNoPodWithoutASelector) {
    FourNodes cluster;
    cluster.bound("x", "a", labelled("web"));
    const auto web = cluster.pod_group(labelled("web", together({{.topology_key = zone_key}})));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(nodes_with_room(Placement(predicates), web), (std::vector<Slot>{}));
}

TEST(PodAntiAffinity, ExcludesDomainsWithMatchingPods) {
    FourNodes cluster;
    cluster.bound("db-0", "b", labelled("db"));
    const auto by_zone = cluster.pod_group(labelled("web", apart({near(zone_key, app("db"))})));
    const auto by_node = cluster.pod_group(labelled("web", apart({near(hostname_key, app("db"))})));
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(nodes_with_room(placement, by_zone), (std::vector<Slot>{2, 3}));
    EXPECT_EQ(nodes_with_room(placement, by_node), (std::vector<Slot>{0, 2, 3}));
    EXPECT_EQ(placement.why_not(by_node, 1).sentence,
              "node(s) didn't match pod anti-affinity rules: this node has 1 of the pods with "
              "app=db in namespace default");
}

TEST(PodAntiAffinity, OfExistingPodsExcludesMatchingPods) {
    FourNodes cluster;
    cluster.bound("db-0", "a", labelled("db", apart({near(zone_key, app("web"))})));
    const auto web = cluster.pod_group(labelled("web"));
    const auto other = cluster.pod_group(labelled("other"));
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_TRUE(predicates.has_inter_pod_constraints(web));
    EXPECT_FALSE(predicates.has_inter_pod_constraints(other));
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{2, 3}));
    EXPECT_EQ(nodes_with_room(placement, other), (std::vector<Slot>{0, 1, 2, 3}));
    EXPECT_EQ(placement.why_not(web, 1).sentence,
              "node(s) didn't satisfy existing pods anti-affinity rules: "
              "topology.kubernetes.io/zone=1 has 1 of the pods with anti-affinity to pods with "
              "app=web in namespace default");
}

TEST(PodAntiAffinity, AppliesInBothDirectionsToPlacedPods) {
    FourNodes cluster;
    const auto db = cluster.pod_group(labelled("db", apart({near(zone_key, app("web"))})));
    const auto web = cluster.pod_group(labelled("web"));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    placement.place(db, 0, 1);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{2, 3}));
    EXPECT_EQ(nodes_with_room(placement, db), (std::vector<Slot>{0, 1, 2, 3}));
    placement.undo(0);
    placement.place(web, 2, 1);
    EXPECT_EQ(nodes_with_room(placement, db), (std::vector<Slot>{0, 1, 3}));
}

TEST(PodAntiAffinity, AllowsOnePodPerDomainIfItMatchesItself) {
    FourNodes cluster;
    const auto by_node = cluster.pod_group(labelled("n", apart({near(hostname_key, app("n"))})));
    const auto by_zone = cluster.pod_group(labelled("z", apart({near(zone_key, app("z"))})));
    const auto template_node = cluster.template_node(in_zone("3"));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Slot slot = placement.add(template_node, 5);
    EXPECT_EQ(placement.room(by_node, slot, 9), (Room{1, 5}));
    EXPECT_EQ(placement.room(by_node, slot, 3), (Room{1, 3}));
    EXPECT_EQ(placement.room(by_zone, slot, 9), (Room{1, 1}));
    EXPECT_EQ(placement.room(by_zone, 3, 9), (Room{9, 9}))
        << "a node without a zone is in no domain";
    placement.place(by_node, slot, 1);
    EXPECT_EQ(placement.room(by_node, slot, 9), (Room{0, 0}));
    placement.place(by_zone, 0, 1);
    EXPECT_EQ(nodes_with_room(placement, by_zone), (std::vector<Slot>{2, 3, 4}));
}

TEST(PodAntiAffinity, OfDaemonSetPodsExcludesPodsFromNewNodes) {
    SchedulingCluster cluster;
    const auto agent = cluster.daemon(labelled("agent", apart({near(hostname_key, app("web"))})));
    const auto web = cluster.pod_group(labelled("web"));
    const auto bare = cluster.template_node({}),
               with_agent = cluster.template_node({.daemons = {agent}});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.why_not_new(web, bare).predicate, Predicate::none);
    EXPECT_EQ(placement.why_not_new(web, with_agent).predicate, Predicate::inter_pod_affinity);
    EXPECT_EQ(placement.slot_count(), 0u);
    EXPECT_NE(predicates.equivalent(with_agent), predicates.equivalent(bare));
}

TEST(PodAffinity, HonoursMatchLabelKeys) {
    snapshot::PodTerm same = near(zone_key, app("web"));
    same.match_label_keys = {"hash"};
    snapshot::PodTerm unlike = near(zone_key, app("web"));
    unlike.mismatch_label_keys = {"hash"};
    FourNodes cluster;
    cluster.bound("old", "a", {.labels = {{"app", "web"}, {"hash", "1"}}});
    cluster.bound("new", "c", {.labels = {{"app", "web"}, {"hash", "2"}}});
    const Labels labels{{"app", "web"}, {"hash", "2"}};
    const auto match = cluster.pod_group({.labels = labels, .spec = together({same})});
    const auto mismatch = cluster.pod_group({.labels = labels, .spec = together({unlike})});
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(nodes_with_room(Placement(predicates), match), (std::vector<Slot>{2}));
    EXPECT_EQ(nodes_with_room(Placement(predicates), mismatch), (std::vector<Slot>{0, 1}));
}

TEST(PodAffinity, CountsPodsThatAreBeingDeleted) {
    FourNodes cluster;
    cluster.bound("db-0", "a", {.labels = {{"app", "db"}}, .deleted = Time{}});
    const auto web = cluster.pod_group(labelled("web", together({near(zone_key, app("db"))})));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(nodes_with_room(Placement(predicates), web), (std::vector<Slot>{0, 1}));
}

TEST(PodAffinity, IgnoresPodsOnARemovedNode) {
    FourNodes cluster;
    cluster.bound("db-0", "a", labelled("db"));
    const auto db = cluster.pod_group(labelled("db"));
    const auto web = cluster.pod_group(labelled("web", together({near(zone_key, app("db"))})));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    placement.place(db, 2, 1);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{0, 1, 2}));
    const auto before = placement.mark();
    placement.close(2);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{0, 1}));
    placement.close(0);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{}));
    placement.undo(before);
    EXPECT_EQ(nodes_with_room(placement, web), (std::vector<Slot>{0, 1, 2}));
}

}  // namespace
}  // namespace capstan::engine::scheduling
