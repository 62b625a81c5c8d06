#include "provisioning/autoprovisioned_group.hpp"

#include <gmock/gmock.h>

#include <set>

#include "market_facts.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(GceAutoprovisionedGroups, HaveValidNamesForGroupAndInstances) {
    for (const std::string& plan :
         {usual_plan().name, std::string(200, 'x'), std::string("1st.Group_X"), std::string()}) {
        const std::string name = name_of_made_group(plan, "prod");
        EXPECT_LE(name.size(), 58U) << "names of instances have five more characters";
        EXPECT_THAT(name, MatchesRegex("[a-z][-a-z0-9]*[a-z0-9]"));
        EXPECT_TRUE(is_name_for(name, "prod"));
        EXPECT_FALSE(is_name_for(name, "test"));
    }
    EXPECT_THAT(name_of_made_group(usual_plan().name, "prod"),
                StartsWith("nodeautoprovisioning-gce-n2-standard-4"));
}

TEST(GceAutoprovisionedGroups, HaveDifferentNamesForPlansAndClusters) {
    const std::string longer(100, 'a');
    EXPECT_THAT((std::set<std::string>{name_of_made_group(longer, "prod"),
                                       name_of_made_group(longer + "b", "prod"),
                                       name_of_made_group(longer, "test")}),
                SizeIs(3));
    EXPECT_EQ(name_of_made_group(longer, "prod"), name_of_made_group(longer, "prod"));
}

TEST(GceAutoprovisionedGroups, AreRecognizedByTheirLabels) {
    const auto labels = make_machine_labels(usual_plan(), {{"goog-gke-node", ""}}, usual_config());
    ASSERT_TRUE(labels) << labels.error().message;
    EXPECT_TRUE(is_made_for(*labels, "prod"));
    EXPECT_FALSE(is_made_for(*labels, "test"));
    EXPECT_FALSE(is_made_for({}, "prod"));
    EXPECT_EQ(labels->at("goog-gke-node"), "") << "labels of the source are kept";
    EXPECT_EQ(labels->at("capstan-plan"), digest_of(usual_plan()));
}

TEST(GceAutoprovisionedGroups, AreRecognizedForClustersWithUnusualNames) {
    EXPECT_EQ(label_of_cluster("prod"), "prod");
    const std::string odd = label_of_cluster("Prod.example.com");
    EXPECT_THAT(odd, MatchesRegex("[-_a-z0-9]+"));
    EXPECT_NE(odd, label_of_cluster("prod.example.com"));
    EXPECT_LE(label_of_cluster(std::string(200, 'x')).size(), 63U);
}

TEST(GceAutoprovisionedGroups, AcceptConfiguredLabelsThatGoogleAllows) {
    MakingConfig config = usual_config();
    config.labels = {{"team", "platform"}};
    EXPECT_EQ(make_machine_labels(usual_plan(), {}, config)->at("team"), "platform");
    config.labels = {{"Team", "x"}};
    EXPECT_THAT(make_machine_labels(usual_plan(), {}, config).error().message, HasSubstr("Team=x"));
    Labels many;
    for (int i = 0; i < 64; ++i) many["l" + std::to_string(i)] = "x";
    EXPECT_EQ(make_machine_labels(usual_plan(), many, usual_config()).error().code,
              ErrorCode::unsupported);
}

TEST(GceAutoprovisionedGroups, HaveADescription) {
    GroupPlan plan = usual_plan();
    plan.spot = true;
    EXPECT_EQ(describe_made_group(plan, "prod"),
              "Created by Capstan for cluster prod: n2-standard-4 in us-central1-a, spot");
}

}  // namespace
}  // namespace capstan::gce
