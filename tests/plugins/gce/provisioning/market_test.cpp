#include "provisioning/market.hpp"

#include <gmock/gmock.h>

#include "market_facts.hpp"
#include "templates/kube_env.hpp"

namespace capstan::gce {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Market market_of(MarketFacts facts = usual_facts(), MakingConfig config = usual_config()) {
    auto out = Market::make(std::move(facts), std::move(config));
    EXPECT_TRUE(out) << out.error().message;
    return *std::move(out);
}

std::vector<std::string> names_of(const MachineTypes& types) {
    std::vector<std::string> out;
    for (const MachineType& type : types.types) out.push_back(type.name);
    return out;
}

TEST(GceMarket, OffersTypesForTheImageInTheirZones) {
    const Market market = market_of();
    EXPECT_THAT(names_of(market.machine_types()), ElementsAre("n2-standard-2", "n2-standard-4"))
        << "arm64 types cannot run an amd64 image";
    EXPECT_THAT(market.machine_types().types[0].offerings, SizeIs(4))
        << "two zones, on-demand and spot";
    EXPECT_THAT(market.machine_types().types[1].offerings, SizeIs(2));
    EXPECT_EQ(market.machine_types().types[1].capacity.amount("cpu"), 4000);
}

TEST(GceMarket, OffersTheConfiguredTypes) {
    MakingConfig config = usual_config();
    config.machine_types = {"n2-*-4", "x9-*"};
    const Market market = market_of(usual_facts(), config);
    EXPECT_THAT(names_of(market.machine_types()), ElementsAre("n2-standard-4"));
    EXPECT_THAT(market.warnings(), Contains(HasSubstr("x9-*")));
}

TEST(GceMarket, SkipsDeprecatedTypes) {
    MarketFacts facts = usual_facts();
    for (auto& [zone, types] : facts.types_by_zone) types[0].is_deprecated = true;
    EXPECT_THAT(names_of(market_of(facts).machine_types()), ElementsAre("n2-standard-4"));
}

TEST(GceMarket, TurnsAPlanIntoAGroup) {
    const auto made = market_of().make_group(usual_plan());
    ASSERT_TRUE(made) << made.error().message;
    const std::string& name = made->group.link.name;
    EXPECT_EQ(made->template_link, (ResourceLink{"shop", {}, "instanceTemplates", name}));
    EXPECT_EQ(
        made->group.link,
        (ResourceLink{"shop", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", name}));
    EXPECT_EQ(made->request.link, made->group.link);
    EXPECT_EQ(made->request.base_name, name);
    EXPECT_THAT(made->request.template_link, HasSubstr(name));
    EXPECT_EQ(made->planned.group.id.value(), "shop/us-central1-a/" + name);
    EXPECT_TRUE(made->planned.group.autoprovisioned);
    EXPECT_EQ(made->planned.group.target, 0);
    EXPECT_EQ(made->planned.group.min, 0);
    EXPECT_EQ(made->planned.group.max, 1000);
    EXPECT_EQ(made->planned.group.spot, false);
}

TEST(GceMarket, DescribesTheNode) {
    const NodeTemplate node = market_of().make_group(usual_plan())->planned.node;
    EXPECT_EQ(node.machine_type, "n2-standard-4");
    EXPECT_EQ(node.zone, "us-central1-a");
    EXPECT_THAT(node.labels, Contains(Pair("team", "ml")));
    EXPECT_THAT(node.labels, Contains(Pair("pool", "nodes"))) << "labels of the source are kept";
    EXPECT_EQ(node.taints, usual_plan().taints);
    EXPECT_EQ(node.capacity.amount("cpu"), 4000);
}

TEST(GceMarket, CreatesWhatItPlans) {
    const Market market = market_of();
    EXPECT_EQ(*market.plan_group(usual_plan()), market.make_group(usual_plan())->planned);
}

TEST(GceMarket, AdaptsMachineTypeLabelsToThePlannedType) {
    MarketFacts facts = usual_facts();
    facts.source.metadata["kube-env"] =
        "NODE_LABELS: "
        "cloud.google.com/machine-family=n2,cloud.google.com/gke-cpu-scaling-level=2\n";
    facts.types_by_zone["us-central1-a"].push_back(type_of("e2-standard-8", 8, 32768));
    GroupPlan plan = usual_plan();
    plan.machine_type = "e2-standard-8";
    const auto planned = market_of(facts).plan_group(plan);
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_THAT(planned->node.labels, Contains(Pair("cloud.google.com/machine-family", "e2")));
    EXPECT_THAT(planned->node.labels,
                Contains(Pair("cloud.google.com/gke-cpu-scaling-level", "8")));
    EXPECT_EQ(planned->node.labels.count("cloud.google.com/gke-memory-gb-scaling-level"), 0u)
        << "the source has none";
}

TEST(GceMarket, OffersOnlySpotForASpotInstanceTemplate) {
    MarketFacts facts = usual_facts();
    facts.source.is_spot = true;
    const Market market = market_of(facts);
    for (const MachineType& type : market.machine_types().types)
        for (const MachineOffering& offering : type.offerings) EXPECT_TRUE(offering.spot);
    EXPECT_THAT(market.warnings(), Contains(HasSubstr("is for spot instances")));
    EXPECT_FALSE(market.plan_group(usual_plan()));
}

TEST(GceMarket, OffersConfiguredCustomTypesOfAvailableFamilies) {
    MakingConfig config = usual_config();
    config.machine_types = {"n2-custom-4-8192", "c9-custom-4-8192"};
    const Market market = market_of(usual_facts(), config);
    EXPECT_THAT(names_of(market.machine_types()), ElementsAre("n2-custom-4-8192"));
    EXPECT_THAT(market.machine_types().types[0].offerings, SizeIs(4));
    EXPECT_THAT(market.warnings(), Contains(HasSubstr("c9-custom-4-8192")));
}

TEST(GceMarket, SeparatesLabelsOfTypesFromLabelsOfOfferings) {
    const MachineType type = market_of().machine_types().types.front();
    EXPECT_EQ(type.labels.count("topology.kubernetes.io/zone"), 0u);
    EXPECT_THAT(type.labels, Contains(Pair("node.kubernetes.io/instance-type", "n2-standard-2")));
    EXPECT_THAT(type.labels, Contains(Pair("topology.kubernetes.io/region", "us-central1")));
    for (const MachineOffering& offering : type.offerings) {
        EXPECT_THAT(offering.labels, Contains(Pair("topology.kubernetes.io/zone", offering.zone)));
        EXPECT_THAT(offering.labels, Contains(Pair("cloud.google.com/gke-provisioning",
                                                   offering.spot ? "spot" : "standard")));
    }
}

TEST(GceMarket, WritesThePlanIntoTheInstanceTemplate) {
    GroupPlan plan = usual_plan();
    plan.spot = true;
    const auto made = market_of().make_group(plan);
    ASSERT_TRUE(made) << made.error().message;
    const Json& properties = made->template_properties;
    EXPECT_EQ(properties.text_at({"machineType"}), "n2-standard-4");
    EXPECT_EQ(properties.text_at({"labels", "capstan-made-for"}), "prod");
    EXPECT_EQ(properties.text_at({"scheduling", "provisioningModel"}), "SPOT");
    std::string kube_env, cluster_name;
    for (const Json& item : properties.find({"metadata", "items"})->items()) {
        if (item.text_at({"key"}) == "kube-env") kube_env = item.text_at({"value"});
        if (item.text_at({"key"}) == "cluster-name") cluster_name = item.text_at({"value"});
    }
    EXPECT_EQ(cluster_name, "prod") << "the rest of the source is kept";
    const auto env = KubeEnv::parse(kube_env);
    ASSERT_TRUE(env);
    EXPECT_THAT(**env->find_autoscaler_variable("node_labels"), HasSubstr("team=ml"));
    EXPECT_EQ(**env->find_autoscaler_variable("node_taints"), "dedicated=ml:NoSchedule");
}

TEST(GceMarket, RejectsTypesThatAreNotOffered) {
    const Market market = market_of();
    for (const auto& [type, zone] : {std::pair{"n2-standard-4", "us-central1-b"},
                                     {"n2-standard-8", "us-central1-a"},
                                     {"t2a-standard-4", "us-central1-a"},
                                     {"n2-standard-4", ""}}) {
        GroupPlan plan = usual_plan();
        plan.machine_type = type;
        plan.zone = zone;
        const auto made = market.make_group(plan);
        ASSERT_FALSE(made) << type << " " << zone;
        EXPECT_EQ(made.error().code, ErrorCode::unsupported);
    }
}

TEST(GceMarket, RejectsLabelsThatANodeCannotHave) {
    GroupPlan plan = usual_plan();
    plan.labels = {{"node-role.kubernetes.io/ml", "x"}};
    EXPECT_FALSE(market_of().make_group(plan)) << "kubelet may not set this label";
    plan.labels = {{"-x", "y"}};
    EXPECT_FALSE(market_of().make_group(plan));
}

TEST(GceMarket, RejectsLabelsAndTaintsWithoutKubeEnv) {
    MarketFacts facts = usual_facts();
    facts.source.metadata.clear();
    const Market market = market_of(facts);
    GroupPlan plan = usual_plan();
    EXPECT_EQ(market.make_group(plan).error().code, ErrorCode::unsupported);
    plan.labels.clear();
    plan.taints.clear();
    EXPECT_TRUE(market.make_group(plan));
}

TEST(GceMarket, PricesOffersIfPricesAreKnown) {
    MarketFacts facts = usual_facts();
    EXPECT_EQ(market_of(facts).machine_types().types[0].offerings[0].price_per_hour, std::nullopt);
    facts.prices = std::make_shared<const PriceTable>(*PriceTable::parse(
        R"({"region":"us-central1","date":"2026-11-01","types":{"n2-standard-2":{"on_demand":0.1,"spot":0.03}}})"));
    const Market priced = market_of(facts);
    for (const MachineOffering& offering : priced.machine_types().types[0].offerings)
        EXPECT_EQ(offering.price_per_hour, offering.spot ? 0.03 : 0.1);
}

}  // namespace
}  // namespace capstan::gce
