// Sources of templates, when they are read again, and prices.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::Contains;
using ::testing::HasSubstr;

struct Described : Project {
    Result<NodeTemplate> read() {
        if (const auto view = refresh(); !view) return fail(view.error());
        return describe();
    }
    std::string fingerprint(Duration later = std::chrono::seconds(10)) {
        return next(later)->groups.at(0).template_fingerprint;
    }
};

TEST(GceTemplateReader, UsesTheTypeOfTheInstanceTemplate) {
    Described project;
    project.add("web");
    const auto node = project.read();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->machine_type, "n2-standard-4");
    EXPECT_EQ(node->zone, "us-central1-a");
    EXPECT_EQ(node->capacity.amount("cpu"), 4000);
    EXPECT_EQ(node->variants, 1);
}

TEST(GceTemplateReader, ReadsACustomTypeFromItsName) {
    Described project;
    project.gce.templates["t1"].type = "n2-custom-6-12288";
    project.add("web");
    const auto node = project.read();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->capacity.amount("cpu"), 6000);
    EXPECT_EQ(project.gce.calls("machineTypes"), 0);
}

TEST(GceTemplateReader, ReportsAnUnreadableKubeEnv) {
    Described project;
    project.gce.templates["t1"].kube_env = "totally messed up";
    project.add("web");
    const auto node = project.read();
    ASSERT_FALSE(node);
    EXPECT_EQ(node.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(node.error().message, HasSubstr("group \"p/us-central1-a/web\": kube-env"));
}

TEST(GceTemplateReader, UsesTheLeastOfEachResourceOfSeveralTypes) {
    Described project;
    project.add("web").flexible_types = {"n2-standard-4", "e2-standard-2"};
    const auto node = project.read();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->variants, 2);
    EXPECT_EQ(node->capacity.amount("cpu"), 2000);
}

TEST(GceTemplateReader, ReportsTheFingerprintOfADescribedGroup) {
    Described project;
    project.add("web");
    ASSERT_TRUE(project.refresh());
    EXPECT_EQ(project.fingerprint(), "");
    const auto node = project.describe();
    ASSERT_TRUE(node) << node.error();
    EXPECT_FALSE(node->fingerprint.empty());
    EXPECT_EQ(project.fingerprint(), node->fingerprint);
    project.group().target = 3;
    EXPECT_EQ(project.fingerprint(), node->fingerprint) << "its target is not part of the template";
}

TEST(GceTemplateReader, ReadsANewInstanceTemplateInTheSamePass) {
    Described project;
    project.gce.templates["t2"].type = "e2-standard-2";
    project.add("web");
    const auto before = project.read();
    ASSERT_TRUE(before) << before.error();
    project.group().made_from = "t2";
    const std::string now = project.fingerprint();
    EXPECT_NE(now, before->fingerprint);
    const auto after = project.describe();
    EXPECT_EQ(after->fingerprint, now);
    EXPECT_EQ(after->machine_type, "e2-standard-2");
}

TEST(GceTemplateReader, ReadsAnInstanceTemplateOnceAndATypeOncePerHour) {
    Described project;
    project.add("web");
    ASSERT_TRUE(project.read());
    ASSERT_TRUE(project.next(hours(2)));
    ASSERT_TRUE(project.describe());
    EXPECT_EQ(project.gce.calls("instanceTemplates"), 1);
    EXPECT_EQ(project.gce.calls("machineTypes"), 2);
    EXPECT_EQ(project.gce.calls("images"), 2);
}

TEST(GceTemplateReader, WarnsIfTheImageCannotBeRead) {
    Described project;
    project.gce.refuse("images", 403, "forbidden", "Required 'compute.images.get' permission");
    project.add("web");
    ASSERT_TRUE(project.read());
    EXPECT_THAT(project.warnings(),
                Contains(HasSubstr("its node template is built without its image")));
}

TEST(GceTemplateReader, MarksAGroupUnhealthyWithoutItsInstanceTemplate) {
    Described project;
    project.add("web").made_from = "gone";
    const auto node = project.read();
    ASSERT_FALSE(node);
    EXPECT_EQ(node.error().code, ErrorCode::not_found);
    const auto view = project.next();
    EXPECT_EQ(view->groups[0].healthy, false);
    EXPECT_THAT(view->groups[0].health_reason, HasSubstr("instance template does not exist"));
}

TEST(GceTemplateReader, LooksForATypeInEachZone) {
    Described project;
    project.add_regional("any", "ANY");
    ASSERT_TRUE(project.refresh());
    project.gce.refuse("machineTypes", 404, "notFound", "The resource was not found");
    const auto node = project.describe(NodeGroupId("p/us-central1/any"));
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->capacity.amount("cpu"), 4000);
    EXPECT_EQ(project.gce.calls("machineTypes"), 2);
}

TEST(GceTemplateReader, FailsForAnUnknownGroup) {
    Described project;
    project.add("db");
    EXPECT_EQ(project.read().error().code, ErrorCode::not_found);
}

struct Priced : Described {
    /// A separate file for each test, since tests run in parallel.
    std::string path = ::testing::TempDir() + "gce_prices_" +
                       ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
    Priced() {
        config.price_file = path;
        write(0.2, "us-central1");
    }
    ~Priced() { std::filesystem::remove(path); }
    void write(double price, const std::string& region) {
        std::ofstream(path) << R"({"region":")" << region << R"(","date":"2026-11-01",)"
                            << R"("types":{"n2-standard-4":{"on_demand":)" << price
                            << R"(,"spot":0.05}},"disks":{"pd-balanced":0}})";
    }
    std::optional<double> price(Duration later = std::chrono::seconds(10)) {
        const auto view = next(later);
        const auto& found = view->groups.at(0).price;
        return found ? found->per_hour : std::nullopt;
    }
};

TEST(GcePriceReader, ReadsPricesOfGroupsAndMachinesFromTheFile) {
    Priced project;
    project.add("web", 1);
    ASSERT_TRUE(project.read());
    EXPECT_EQ(project.price(), 0.2);
    EXPECT_EQ(project.next()->machines[0].price_per_hour, 0.2);
}

TEST(GcePriceReader, ReadsTheFileAgainAfterTenMinutes) {
    Priced project;
    project.add("web", 1);
    ASSERT_TRUE(project.read());
    project.write(0.3, "us-central1");
    EXPECT_EQ(project.price(), 0.2);
    EXPECT_EQ(project.price(minutes(10)), 0.3);
    std::ofstream(project.path) << "{";
    EXPECT_EQ(project.price(minutes(10)), 0.3);
    EXPECT_THAT(project.warnings(), Contains(HasSubstr("using prices of 2026-11-01")));
}

TEST(GcePriceReader, WarnsAboutAFileOfAnotherRegion) {
    Priced project;
    project.write(0.2, "europe-west1");
    project.add("web", 1);
    ASSERT_TRUE(project.read());
    EXPECT_THAT(project.warnings(), Contains(HasSubstr("there are groups in us-central1")));
}

TEST(GcePriceReader, FailsTheStartIfTheFileIsInvalid) {
    Priced project;
    std::ofstream(project.path) << "{";
    EXPECT_THROW(project.cloud(), Failure);
}

}  // namespace
}  // namespace capstan::gce
