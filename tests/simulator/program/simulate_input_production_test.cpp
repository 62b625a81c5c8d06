// Configurations of real clouds on cluster dumps: `simulate`, `explain` and `plan -f`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "../../host/commands/shell.hpp"
#include "../../host/commands/shipped_configs.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* eks_web = "eks-web-34c1b2d0-77aa-4c1e-9a52-0b8f6c6e1f11";
constexpr const char* eks_batch = "eks-web-batch-9cc0a1e2-1b2c-4d3e-8f90-a1b2c3d4e5f6";

class ShippedConfig : public ::testing::TestWithParam<std::tuple<Shipped, const char*>> {
protected:
    std::string config() const {
        const std::string file = std::get<0>(GetParam()).name;
        return file.ends_with(".yaml") ? folder_.write("capstan.toml", config_in(file)) : file;
    }
    std::string dump() const { return std::get<1>(GetParam()); }

    /// What is said of each plugin that is not called, once.
    void expect_notes(const CommandResult& ran) const {
        for (const char* plugin : std::get<0>(GetParam()).not_called) {
            const std::string note =
                std::string("plugin ") + plugin + ": not called in a simulation";
            const std::size_t first = ran.err.find(note);
            EXPECT_NE(first, std::string::npos) << note << "\n" << ran.err;
            EXPECT_EQ(ran.err.find(note, first + 1), std::string::npos) << ran.err;
        }
    }

    Folder folder_;
};

TEST_P(ShippedConfig, SimulatesADump) {
    const CommandResult ran =
        capstan("simulate " + dump() + " --until 2h -o json --config " + config());
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    expect_notes(ran);
    const json::value summary = json::parse(ran.out).at("summary");
    EXPECT_EQ(summary.at("nodes").at("start"), 6) << ran.out;
    EXPECT_GT(summary.at("nodes").at("peak").as_int64(), 6) << ran.out << ran.err;
}

TEST_P(ShippedConfig, ExplainsADump) {
    const CommandResult matrix = capstan("explain matrix -f " + dump() + " -c " + config());
    ASSERT_EQ(matrix.code, 0) << matrix.err;
    expect_notes(matrix);
    EXPECT_THAT(matrix.out, HasSubstr("huge"));
    const CommandResult pod = capstan("explain pod shop/huge-1 -f " + dump() + " -c " + config());
    ASSERT_EQ(pod.code, 0) << pod.err;
    EXPECT_THAT(pod.out, HasSubstr("Insufficient cpu"));
}

TEST_P(ShippedConfig, PlansOnADump) {
    const CommandResult ran = capstan("plan -o json -f " + dump() + " -c " + config());
    ASSERT_EQ(ran.code, 3) << ran.err << ran.out;
    expect_notes(ran);
    const json::value pass = json::parse(ran.out);
    EXPECT_EQ(pass.at("dry_run"), true);
    EXPECT_EQ(pass.at("clouds").at(0).at("cloud"), std::get<0>(GetParam()).cloud) << ran.out;
    ASSERT_FALSE(pass.at("actions").as_array().empty()) << ran.out;
    EXPECT_EQ(pass.at("actions").at(0).at("action"), "increase") << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Dumps, ShippedConfig,
                         ::testing::Combine(::testing::ValuesIn(shipped_configs),
                                            ::testing::Values(eks, gke)),
                         [](const auto& param) {
                             std::string name = std::get<0>(param.param).name;
                             name += std::get<1>(param.param) == eks ? "_eks" : "_gke";
                             for (char& c : name)
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             return name;
                         });

/// The objects of a dump, changed.
class DumpText {
public:
    explicit DumpText(const char* file) : list_(json::parse(text_of_file(file))) {}

    DumpText& remove(std::string_view kind, std::string_view name = {}) {
        json::array kept;
        for (const json::value& item : items()) {
            const bool is_it = item.at("kind").as_string() == kind &&
                               (name.empty() || item.at("metadata").at("name").as_string() == name);
            if (!is_it) kept.push_back(item);
        }
        items() = std::move(kept);
        return *this;
    }
    DumpText& add(const DumpText& other) {
        for (const json::value& item : other.list_.at("items").as_array()) items().push_back(item);
        return *this;
    }
    DumpText& replace(const std::string& from, const std::string& to) {
        std::string text = json::serialize(list_);
        for (std::size_t at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
        list_ = json::parse(text);
        return *this;
    }
    std::string text() const { return json::serialize(list_); }

private:
    json::array& items() { return list_.as_object()["items"].as_array(); }

    json::value list_;
};

class ProductionConfig : public ::testing::Test {
protected:
    CommandResult plan(const DumpText& dump, const std::string& config) const {
        return capstan("plan -f " + folder_.write("dump.json", dump.text()) + " -c " +
                       folder_.write("prod.toml", config));
    }
    /// The groups that `explain matrix` lists.
    std::string groups(const DumpText& dump, const std::string& config) const {
        const CommandResult ran =
            capstan("explain matrix -f " + folder_.write("dump.json", dump.text()) + " -c " +
                    folder_.write("prod.toml", config));
        return ran.out + ran.err;
    }

    Folder folder_;
};

constexpr const char* aws_config = R"(
[pipeline]
clouds = ["aws"]
[plugin.aws]
grants = { http = ["*.eu-central-1.amazonaws.com"] }
settings = { region = "eu-central-1", discovery = ["team=shop"] }
)";

TEST_F(ProductionConfig, TakesNamesAndLimitsFromTheStatusConfigMap) {
    const CommandResult ran = plan(DumpText(eks), aws_config);
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr(std::string("increase ") + eks_web + " by 2\n"),
                               HasSubstr("max node group size reached (5)"),
                               HasSubstr(std::string("increase ") + eks_batch + " by 1\n"),
                               HasSubstr("max node group size reached (4)")));
    EXPECT_THAT(
        ran.err,
        AllOf(HasSubstr("names and limits of 2 node groups are those of the status"),
              HasSubstr("1 node group without nodes in this dump: eks-gpu-5dd0a1e2-"),
              HasSubstr("grow in one zone here: " + std::string(eks_web) + " in eu-central-1a"),
              Not(HasSubstr("ignored"))))
        << "the ConfigMaps and the Balancer are known kinds";
}

TEST_F(ProductionConfig, NamesGroupsByPoolAndZoneWithoutAStatus) {
    const std::string text =
        groups(DumpText(eks).remove("ConfigMap", "cluster-autoscaler-status"), aws_config);
    EXPECT_THAT(text, AllOf(HasSubstr("web-eu-central-1a"), HasSubstr("web-batch-eu-central-1c"),
                            HasSubstr("guessed 6 node groups from 6 nodes")));
}

TEST_F(ProductionConfig, NamesInstanceGroupsOfGkeAsTheCloudPluginDoes) {
    const std::string config =
        "[pipeline]\nclouds = [\"gce\"]\n[plugin.gce]\ngrants = { http = "
        "[\"compute.googleapis.com\"] }\nsettings = { project = "
        "\"shop-prod\" }\n";
    const std::string id = "shop-prod/us-central1-b/gke-prod-web-2b3c4d5e-grp";
    EXPECT_THAT(groups(DumpText(gke), config), HasSubstr(id));
    EXPECT_THAT(groups(DumpText(gke).remove("ConfigMap"), config), HasSubstr(id));
}

TEST_F(ProductionConfig, ReadsThePrioritiesOfTheDumpsConfigMap) {
    const std::string config = std::string(aws_config) + R"(
[pipeline.scale_up]
expanders = ["priority", "random"]
[plugin.priority]
grants = { kube = ["configmaps:list,watch@kube-system"] }
settings = { config_map = "kube-system/cluster-autoscaler-priority-expander" }
)";
    DumpText dump(eks);  // whose pods fit on the nodes of both groups
    dump.replace(R"("taints":[{"key":"batch","value":"true","effect":"NoSchedule"}])",
                 R"("taints":[])")
        .replace("maxSize: 4", "maxSize: 9");
    const std::string web = std::string("increase ") + eks_web;
    const CommandResult found = plan(dump, config);
    EXPECT_EQ(found.code, 3) << found.err;
    EXPECT_THAT(found.out, HasSubstr(web)) << found.err;
    const CommandResult other = plan(dump.replace("eks-web-[0-9a-f]{8}-", "web-batch"), config);
    EXPECT_EQ(other.code, 3) << other.err;
    EXPECT_THAT(other.out, Not(HasSubstr(web))) << other.err;
    const CommandResult missing =
        plan(dump.remove("ConfigMap", "cluster-autoscaler-priority-expander"), config);
    EXPECT_EQ(missing.code, 3) << missing.err;
    EXPECT_THAT(missing.err, HasSubstr("does not exist"));
}

TEST_F(ProductionConfig, GivesEachGroupToTheCloudOfItsNodes) {
    const std::string config = R"(
[pipeline]
clouds = ["prod", "external_grpc", "gce"]
[plugin.prod]
class = "aws"
grants = { http = ["*.eu-central-1.amazonaws.com"] }
settings = { region = "eu-central-1" }
[plugin.external_grpc]
grants = { http = ["grpc.example"] }
settings = { address = "https://grpc.example:8086" }
[plugin.gce]
grants = { http = ["compute.googleapis.com"] }
)";
    DumpText dump(eks);
    dump.replace("aws:///eu-central-1a/i-0bb", "azure:///i-0bb").remove("ConfigMap");
    DumpText other(gke);
    other.remove("Pod")
        .remove("ReplicaSet")
        .remove("Namespace")
        .remove("ConfigMap")
        .remove("CapstanDump");
    const CommandResult ran = plan(dump.add(other), config);
    EXPECT_THAT(
        ran.err,
        AllOf(HasSubstr("plugin prod: not called in a simulation; 5 node groups"),
              HasSubstr("plugin external_grpc: not called in a simulation; 1 node group stands"),
              HasSubstr("plugin gce: not called in a simulation; 6 node groups")));
}

TEST_F(ProductionConfig, TakesLimitsAndPricesFromTheSimulateTable) {
    const std::string table = std::string("[simulate.group.") + eks_web + "]\nmax = 4\n" +
                              "price_per_hour = 0.23\n[simulate.group.typo]\nmin = 1\n";
    const CommandResult ran = plan(DumpText(eks), aws_config + table);
    EXPECT_THAT(ran.out, HasSubstr(std::string("increase ") + eks_web + " by 1\n"));
    EXPECT_THAT(ran.err, HasSubstr("simulate.group.typo: no such node group in this dump"));
    const std::string prices = "[simulate.group]\n" + std::string(eks_web) +
                               " = { price_per_hour = 1 }\n" + eks_batch +
                               " = { price_per_hour = 0 }\n";
    const CommandResult priced = capstan(std::string("simulate ") + eks + " --until 1h --config " +
                                         folder_.write("prod.toml", aws_config + prices));
    EXPECT_THAT(priced.out, HasSubstr("cost          4.96")) << priced.err << priced.out;
}

TEST_F(ProductionConfig, TakesPricesFromThePriceFile) {
    const std::string prices =
        folder_.write("prices.json", R"({"region":"eu-central-1","date":"2026-11-01","prices":{
            "m5.xlarge":{"on_demand":0.23},
            "c5.2xlarge":{"on_demand":0.39,"spot":{"eu-central-1b":0.151}}}})");
    std::string text = std::string(aws_config) + "[pipeline.scale_up]\nexpanders = [\"price\"]\n";
    text.insert(text.find("region ="), "price_file = \"" + prices + "\", ");
    const DumpText dump(eks);
    const CommandResult known = plan(dump, text);
    EXPECT_THAT(known.err, Not(HasSubstr("prices are unknown"))) << known.err;
    EXPECT_THAT(known.out, HasSubstr("increase")) << known.out;
    const CommandResult lost =
        plan(dump, std::string(text).replace(text.find(prices), prices.size(), "/no/such/file"));
    EXPECT_EQ(lost.code, 3) << lost.err;
    EXPECT_THAT(lost.err, HasSubstr("price_file: /no/such/file: cannot be read"));
}

TEST_F(ProductionConfig, ShowsBackoffsOfTheStatus) {
    DumpText dump(eks);
    dump.replace(
        R"(    maxSize: 4\n    lastProbeTime: \"2026-11-01T11:59:55Z\"\n    lastTransitionTime: \"2026-10-30T08:00:00Z\"\n  scaleUp:\n    status: NoActivity\n)",
        R"(    maxSize: 4\n  scaleUp:\n    status: Backoff\n    backoffInfo:\n      errorCode: OutOfResource\n      errorMessage: no c5.2xlarge left\n)");
    const CommandResult ran = plan(dump, aws_config);
    EXPECT_THAT(ran.out, HasSubstr("OutOfResource: no c5.2xlarge left")) << ran.out;
    EXPECT_THAT(ran.out, Not(HasSubstr(std::string("increase ") + eks_batch)));
}

TEST_F(ProductionConfig, CountsMachinesThatAreStillToCome) {
    DumpText dump(eks);
    dump.replace(R"(cloudProviderTarget: 3\n    minSize: 3)",
                 R"(cloudProviderTarget: 5\n    minSize: 3)");
    const CommandResult ran = plan(dump, aws_config);
    EXPECT_THAT(ran.out, Not(HasSubstr(std::string("increase ") + eks_web))) << ran.out << ran.err;
}

TEST_F(ProductionConfig, IsRefusedOnAScenario) {
    const CommandResult ran = capstan("plan -f examples/three_zones.toml");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("examples/three_zones.toml: expected a cluster dump"));
    const CommandResult lost = capstan("plan -f /no/such/dump.json");
    EXPECT_EQ(lost.code, 2);
    EXPECT_THAT(lost.err, HasSubstr("/no/such/dump.json: cannot be read: No such file"));
    EXPECT_EQ(capstan("plan").code, 2);
}

TEST_F(ProductionConfig, IsReadBeforeTheDump) {
    const CommandResult ran = capstan(std::string("plan -c /no/such.toml -f ") + eks);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err, "/no/such.toml: No such file or directory\n");
}

TEST_F(ProductionConfig, MayHaveASimulateTableOutsideOfSimulations) {
    const std::string config = std::string(aws_config) + "[simulate.group.web]\nmax = 4\n";
    const CommandResult ran = capstan("config check -c " + folder_.write("prod.toml", config));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
}

TEST_F(ProductionConfig, WorksWithAScenario) {
    const CommandResult ran =
        capstan("simulate examples/three_zones.toml --config examples/grpc_expander.toml");
    EXPECT_THAT(ran.err, HasSubstr("plugin grpc_expander: not called in a simulation"));
    EXPECT_THAT(ran.out, HasSubstr("increase ")) << ran.err;
    const CommandResult empty = capstan("simulate examples/empty.toml --config examples/aws.toml");
    EXPECT_EQ(empty.code, 0) << empty.err;
    EXPECT_THAT(empty.err, HasSubstr("plugin aws: not called in a simulation; 0 node groups"));
}

}  // namespace
}  // namespace capstan::commands
