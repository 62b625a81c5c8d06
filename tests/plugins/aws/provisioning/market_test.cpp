// Offers of machine types, and the groups of plans.
#include "provisioning/market.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "market_facts.hpp"

namespace capstan::aws {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Market market_of(const MarketFacts& facts, const MakingConfig& config = making_config()) {
    Result<Market> made = Market::make(facts, config);
    EXPECT_TRUE(made) << made.error();
    return *std::move(made);
}

std::vector<std::string> formatted_offers(const MachineTypes& offers) {
    std::vector<std::string> out;
    for (const MachineType& type : offers.types)
        for (const MachineOffering& offer : type.offerings)
            out.push_back(type.name + " " + offer.zone.substr(offer.zone.size() - 1) +
                          (offer.spot ? " spot" : ""));
    return out;
}

std::string decoded_user_data(const PossibleGroup& group) {
    return base64_decode(group.launch_template.user_data).value_or("no base64");
}

TEST(AwsMarket, OffersTypesForTheImageInZonesWithASubnet) {
    MakingConfig config = making_config();
    config.instance_types = {"m5.*", "m6g.*", "m5.large"};
    const Market market = market_of(market_facts(), config);
    EXPECT_THAT(formatted_offers(market.machine_types()),
                ElementsAre("m5.large a", "m5.large a spot", "m5.large b", "m5.large b spot",
                            "m5.xlarge a", "m5.xlarge a spot", "m5.xlarge b", "m5.xlarge b spot"))
        << "m6g.large cannot run an x86_64 image, and m5.metal is offered in no zone";
}

TEST(AwsMarket, OffersAllTypesWithoutGlobs) {
    MakingConfig config = making_config();
    config.instance_types = {};
    EXPECT_THAT(formatted_offers(market_of(market_facts(), config).machine_types()),
                Contains("c5.large a"));
}

TEST(AwsMarket, OffersTheUsageClassesOfEachType) {
    MarketFacts facts = market_facts();
    InstanceType only_spot = instance_type("m5.large", 2, 8);
    only_spot.usage_classes = {"spot"};
    InstanceType unknown = instance_type("m5.xlarge", 4, 16);
    unknown.usage_classes = {};
    facts.types =
        std::make_shared<const TypeTable>(TypeTable::of({only_spot, unknown}, "2026-11-01"));
    facts.subnets.erase(facts.subnets.begin());
    EXPECT_THAT(formatted_offers(market_of(facts).machine_types()),
                ElementsAre("m5.large a spot", "m5.xlarge a", "m5.xlarge a spot"));
}

TEST(AwsMarket, SeparatesLabelsOfTypesFromLabelsOfOfferings) {
    const MachineTypes offers = market_of(market_facts()).machine_types();
    const MachineType& type = offers.types.front();
    EXPECT_THAT(type.labels, Contains(Pair("node.kubernetes.io/instance-type", "m5.large")));
    EXPECT_THAT(type.labels, Contains(Pair("kubernetes.io/arch", "amd64")));
    EXPECT_THAT(type.labels, Contains(Pair("topology.kubernetes.io/region", "eu-central-1")));
    EXPECT_EQ(type.capacity.amount("cpu"), 2000);
    EXPECT_LT(type.allocatable.amount("memory"), type.capacity.amount("memory"));
    EXPECT_EQ(type.offerings[0].labels, (Labels{{"eks.amazonaws.com/capacityType", "ON_DEMAND"},
                                                {"topology.ebs.csi.aws.com/zone", "eu-central-1a"},
                                                {"topology.kubernetes.io/zone", "eu-central-1a"}}));
    EXPECT_THAT(type.offerings[3].labels, Contains(Pair("node.kubernetes.io/lifecycle", "spot")));
    EXPECT_THAT(type.offerings[3].labels,
                Contains(Pair("topology.kubernetes.io/zone", "eu-central-1b")));
}

TEST(AwsMarket, PricesOffersIfPricesAreKnown) {
    MarketFacts facts = market_facts();
    EXPECT_EQ(market_of(facts).machine_types().types[0].offerings[0].price_per_hour, std::nullopt);
    const auto prices = PriceTable::parse(
        R"({"region": "eu-central-1", "date": "2026-11-01", "currency": "USD", "prices": {
            "m5.large": {"on_demand": 0.115, "spot": {"eu-central-1a": 0.04}}}})");
    ASSERT_TRUE(prices) << prices.error();
    facts.prices = std::make_shared<const PriceTable>(*prices);
    const Market market = market_of(facts);
    const MachineTypes offers = market.machine_types();
    EXPECT_EQ(offers.types[0].offerings[0].price_per_hour, 0.115);
    EXPECT_EQ(offers.types[0].offerings[1].price_per_hour, 0.04);
    EXPECT_EQ(offers.types[1].offerings[0].price_per_hour, std::nullopt) << "m5.xlarge";
    GroupPlan spot = made_plan();
    spot.spot = true;
    EXPECT_EQ(market.make_group(spot)->planned.group.price->per_hour, 0.04);
}

TEST(AwsMarket, TurnsAPlanIntoAGroupOfOneZoneAndType) {
    const auto group = market_of(market_facts()).make_group(made_plan());
    ASSERT_TRUE(group) << group.error();
    const NodeGroup& listed = group->planned.group;
    EXPECT_EQ(listed.id, NodeGroupId("nap-m5-large-a.prod"));
    EXPECT_EQ(listed.min, 0);
    EXPECT_EQ(listed.max, 1000);
    EXPECT_EQ(listed.target, 0);
    EXPECT_TRUE(listed.autoprovisioned);
    EXPECT_EQ(listed.spot, false);
    EXPECT_THAT(listed.zones, ElementsAre("eu-central-1a"));
    EXPECT_EQ(listed.template_fingerprint, group->planned.node.fingerprint);

    EXPECT_EQ(group->request.name, "nap-m5-large-a.prod");
    EXPECT_EQ(group->request.launch_template.name, "nap-m5-large-a.prod");
    EXPECT_THAT(group->request.subnets, ElementsAre("subnet-a1", "subnet-a2"));
    EXPECT_EQ(group->request.min, 0);
    EXPECT_EQ(group->request.desired, 0);
    EXPECT_FALSE(group->request.spot);
    EXPECT_EQ(group->launch_template.source.name, "workers");
    EXPECT_EQ(group->launch_template.instance_type, "m5.large");
    EXPECT_EQ(group->launch_template.tags, (Labels{{"capstan.io/made-for", "prod"}}));
    EXPECT_EQ(group->planned.node.zone, "eu-central-1a");
    EXPECT_EQ(group->planned.node.machine_type, "m5.large");
}

TEST(AwsMarket, PutsLabelsAndTaintsIntoTemplateTagsAndUserData) {
    const Taint dedicated{"dedicated", "gpu", Effect::no_schedule};
    const auto group =
        market_of(market_facts()).make_group(made_plan({{"team", "a"}}, {dedicated}));
    ASSERT_TRUE(group) << group.error();
    const NodeTemplate& node = group->planned.node;
    EXPECT_THAT(node.labels, Contains(Pair("team", "a")));
    EXPECT_THAT(node.labels, Contains(Pair("eks.amazonaws.com/capacityType", "ON_DEMAND")));
    EXPECT_THAT(node.taints, ElementsAre(dedicated));
    EXPECT_THAT(group->request.tags,
                Contains(Pair("k8s.io/cluster-autoscaler/node-template/label/team", "a")));
    EXPECT_EQ(decoded_user_data(*group),
              "#!/bin/bash\n/etc/eks/bootstrap.sh --kubelet-extra-args "
              "'--node-labels=eks.amazonaws.com/capacityType=ON_DEMAND,team=a "
              "--register-with-taints=dedicated=gpu:NoSchedule' prod\n");
}

TEST(AwsMarket, SetsSpotInPolicyAndLabels) {
    GroupPlan plan = made_plan();
    plan.spot = true;
    const auto group = market_of(market_facts()).make_group(plan);
    ASSERT_TRUE(group) << group.error();
    EXPECT_TRUE(group->request.spot);
    EXPECT_EQ(group->planned.group.spot, true);
    EXPECT_EQ(group->group.mixed->on_demand_percentage, 0);
    EXPECT_THAT(group->planned.node.labels, Contains(Pair("node.kubernetes.io/lifecycle", "spot")));
    EXPECT_THAT(decoded_user_data(*group), HasSubstr("node.kubernetes.io/lifecycle=spot"));
}

TEST(AwsMarket, RejectsLabelsAndTaintsWithoutAKnownBootstrap) {
    MarketFacts facts = market_facts();
    facts.source.user_data = base64_encode("#!/bin/bash\n/opt/own/start\n");
    const Market market = market_of(facts);
    const auto plain = market.make_group(made_plan());
    ASSERT_TRUE(plain) << plain.error();
    EXPECT_EQ(plain->launch_template.user_data, facts.source.user_data);
    EXPECT_EQ(plain->planned.node.labels.count("eks.amazonaws.com/capacityType"), 0u);
    const Taint taint{"a", "b", Effect::no_schedule};
    for (const GroupPlan& plan : {made_plan({{"team", "a"}}), made_plan({}, {taint})}) {
        const auto wanted = market.make_group(plan);
        ASSERT_FALSE(wanted);
        EXPECT_EQ(wanted.error().code, ErrorCode::unsupported);
        EXPECT_THAT(wanted.error().message, HasSubstr("is not of a kind"));
    }
}

TEST(AwsMarket, PutsConfiguredTagsOnTemplatesAndNodes) {
    MakingConfig config = making_config();
    config.tags = {{"k8s.io/cluster-autoscaler/node-template/label/pool", "made"},
                   {"k8s.io/cluster-autoscaler/node-template/taint/made", ":NoSchedule"},
                   {"cost-center", "7"}};
    const Market market = market_of(market_facts(), config);
    const MachineType type = market.machine_types().types.front();
    EXPECT_THAT(type.labels, Contains(Pair("pool", "made")));
    EXPECT_THAT(type.taints, ElementsAre(Taint{"made", "", Effect::no_schedule}));
    const auto group = market.make_group(made_plan());
    ASSERT_TRUE(group) << group.error();
    EXPECT_THAT(decoded_user_data(*group), HasSubstr("pool=made"));
    EXPECT_THAT(decoded_user_data(*group), HasSubstr("--register-with-taints=made:NoSchedule"));
    EXPECT_THAT(group->request.propagated_tags, Contains(Pair("cost-center", "7")));
}

TEST(AwsMarket, RejectsContradictions) {
    GroupPlan elsewhere = made_plan(), nowhere = made_plan(), other = made_plan(),
              unknown = made_plan();
    elsewhere.zone = "eu-central-1c";
    nowhere.zone = "";
    other.machine_type = "c5.large";
    unknown.machine_type = "x9.large";
    const Market market = market_of(market_facts());
    for (const GroupPlan& wrong :
         {elsewhere, nowhere, other, unknown, made_plan({{"kubernetes.io/arch", "arm64"}}),
          made_plan({{"node-role.kubernetes.io/worker", ""}})}) {
        const auto group = market.make_group(wrong);
        ASSERT_FALSE(group);
        EXPECT_EQ(group.error().code, ErrorCode::unsupported) << group.error();
    }
    const auto contradicted = market.make_group(made_plan({{"kubernetes.io/arch", "arm64"}}));
    EXPECT_EQ(contradicted.error().message,
              "its instances have kubernetes.io/arch=amd64, the plan requires arm64");
    EXPECT_TRUE(market.make_group(made_plan({{"kubernetes.io/arch", "amd64"}})));
}

TEST(AwsMarket, WarnsAboutMissingOffers) {
    MakingConfig config = making_config();
    config.instance_types = {"m5.*", "p9.*", "m6g.*"};
    EXPECT_THAT(market_of(market_facts(), config).warnings(),
                ElementsAre(HasSubstr("matches \"p9.*\""), HasSubstr("matches \"m6g.*\"")));
    EXPECT_THAT(market_of(market_facts()).warnings(), IsEmpty());

    MarketFacts facts = market_facts();
    facts.subnets = {};
    facts.image.reset();
    const Market empty = market_of(facts);
    EXPECT_THAT(empty.warnings(), ElementsAre("provisioning: no subnet has the tags for=nodes",
                                              HasSubstr("image ami-1 cannot be read")));
    EXPECT_THAT(empty.machine_types().types, IsEmpty());
}

TEST(AwsMarket, RejectsAnUnsuitableLaunchTemplate) {
    MarketFacts without_image = market_facts(), tainted = market_facts();
    without_image.source.image_id = "";
    tainted.source.user_data = base64_encode(
        "/etc/eks/bootstrap.sh prod --kubelet-extra-args '--register-with-taints=a:NoSchedule'");
    for (const auto& [facts, because] :
         {std::pair(without_image, "has no image"), std::pair(tainted, "sets taints")}) {
        const auto made = Market::make(facts, making_config());
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::invalid_config);
        EXPECT_THAT(made.error().message, HasSubstr(because));
        EXPECT_THAT(made.error().message, HasSubstr("workers"));
    }
}

}  // namespace
}  // namespace capstan::aws
