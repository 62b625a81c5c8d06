// Each file of examples/ is started as it ships: configurations by `capstan run` until the first
// pass, other files by the command that their first lines name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../aws/aws_server.hpp"
#include "../clouds/cloud_scenario.hpp"
#include "../external_grpc/running_server.hpp"
#include "../gce/gce_server.hpp"
#include "running_example.hpp"

namespace capstan::examples {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using clouds::Variable;
using e2e::becomes;
using external_grpc::RunningServer;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// The source file of a test that uses the example, and the text in it that shows this.
struct TestElsewhere {
    const char *source = nullptr, *text = nullptr;
};

struct Example {
    std::string file;               ///< in examples/
    void (*start)() = nullptr;      ///< NULL: the test `elsewhere` starts the example
    const char* package = nullptr;  ///< of Python, for the server; NULL: none is needed
    TestElsewhere elsewhere{};
};
/// How gtest prints the parameter.
void PrintTo(const Example& each, std::ostream* out) { *out << each.file; }

void run_without_groups(const std::string& file) {
    RunningExample run(file);
    run.wait_for_first_pass();
    EXPECT_THAT(run.groups(), IsEmpty());
    run.stop();
}

void run_capstan() { run_without_groups("capstan.toml"); }

void run_zalando() {
    run_without_groups("zalando.toml");
    const commands::CommandResult ran = commands::capstan(
        "simulate tests/scenarios/zalando/backoff_until_joined.toml --config "
        "examples/zalando.toml");
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

/// Its groups are created only when pods need them.
void run_provisioning() { run_without_groups("provisioning.toml"); }

/// Without a cloud there are no passes, but the Balancer is reconciled.
void run_balancer() {
    RunningExample run("balancer.toml", {}, R"(
[[balancer]]
name = "shop"
replicas = 3
labels = { shop = "yes" }
targets = [{ name = "shop-a" }, { name = "shop-b" }]
[[replica_set]]
name = "shop-a"
labels = { shop = "yes" }
[[replica_set]]
name = "shop-b"
labels = { shop = "yes" }
)");
    EXPECT_TRUE(run.answers("/api/v2/plugins", "manages 1 Balancer, 0 with problems"));
    run.stop();
}

void run_kwok() {
    RunningExample run("kwok.toml");
    run.wait_for_first_pass();
    EXPECT_THAT(run.groups(), UnorderedElementsAre("shop-a", "shop-b"));
    run.stop();
}

/// Has the groups, the launch template and the subnets that the example names, and a group of
/// another cluster.
aws::ServerSetup account_of_the_example() {
    aws::ServerSetup setup = aws::bare_account();
    setup.calls.front().parameters["LaunchTemplateName"] = "workers";
    setup.more["subnet_tags"] = json::object{{"kubernetes.io/role/internal-elb", "1"}};
    setup.groups = {{.name = "web", .tags = {{"k8s.io/cluster-autoscaler/prod", "owned"}}},
                    {.name = "nightly", .tags = {{"team", "batch"}}},
                    {.name = "legacy-workers"},
                    {.name = "of-another-cluster"}};
    return setup;
}

void run_aws() {
    const aws::AwsServer server(account_of_the_example());
    const Variable endpoint("AWS_ENDPOINT_URL", server.url());
    const Variable metadata("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url());
    RunningExample run("aws.toml", {{"\"169.254.169.254\"", "\"127.0.0.1\""}});
    run.wait_for_first_pass();
    EXPECT_THAT(run.groups(), UnorderedElementsAre("web", "nightly", "legacy-workers"));
    run.stop();
    EXPECT_THAT(server.violations(), IsEmpty());
}

/// A managed instance group of the instance template that the example names. `place`: the
/// parameter "zone" or "region" and its value.
gce::SetupCall managed_group(const std::string& name, const char* method, json::object place) {
    return {.method = method,
            .parameters = std::move(place),
            .body = {{"name", name},
                     {"baseInstanceName", name},
                     {"instanceTemplate", "global/instanceTemplates/prod-nodes"},
                     {"targetSize", 0}}};
}

gce::ServerSetup project_of_the_example() {
    constexpr const char* zonal = "compute.instanceGroupManagers.insert";
    constexpr const char* regional = "compute.regionInstanceGroupManagers.insert";
    gce::ServerSetup setup = gce::bare_project();
    setup.calls.front().body["name"] = "prod-nodes";
    setup.calls.push_back(managed_group("gke-prod-web", zonal, {{"zone", "us-central1-b"}}));
    setup.calls.push_back(managed_group("batch-nightly", zonal, {{"zone", "us-east1-b"}}));
    setup.calls.push_back(managed_group("legacy", zonal, {{"zone", "us-central1-a"}}));
    setup.calls.push_back(managed_group("edge", regional, {{"region", "us-central1"}}));
    setup.calls.push_back(managed_group("gke-test-web", zonal, {{"zone", "us-central1-b"}}));
    return setup;
}

void run_gce() {
    const gce::GceServer server(project_of_the_example());
    const Variable metadata("GCE_METADATA_HOST", server.url().substr(server.url().find("//") + 2));
    RunningExample run("gce.toml", {{"\"metadata.google.internal\",", "\"127.0.0.1\","},
                                    {"# endpoint_url = \"http://127.0.0.1:8080\"",
                                     "endpoint_url = \"" + server.url() + "\""}});
    run.wait_for_first_pass();
    EXPECT_THAT(run.groups(), UnorderedElementsAre("shop-prod/us-central1-b/gke-prod-web",
                                                   "shop-prod/us-east1-b/batch-nightly",
                                                   "shop-prod/us-central1-a/legacy",
                                                   "shop-prod/us-central1/edge"));
    run.stop();
    EXPECT_THAT(server.violations(), IsEmpty());
}

/// The replacements in the table of the plugin external_grpc.
Replacements served_by(const std::string& url) {
    return {{"http = [\"grpc.example\"]", "http = [\"127.0.0.1\"]"},
            {"\"https://grpc.example:8086\"", "\"" + url + "\""}};
}

void run_external_grpc() {
    const RunningServer server(external_grpc::Server::python, {"new"});
    RunningExample run("external_grpc.toml", served_by(server.url()));
    run.wait_for_first_pass();
    EXPECT_THAT(run.groups(), UnorderedElementsAre("web", "sold-out", "broken"));
    run.stop();
}

/// More pods than the two machines of the group "web" have room for.
constexpr auto pending_pods = R"(
[[replica_set]]
name = "web"
count = 3
cpu = "3"
tolerations = ["dedicated"]
)";

void run_grpc_expander() {
    // --batch adds a second group that can grow: with one group the expander is not asked.
    const RunningServer server(external_grpc::Server::python, {"new", "--batch"});
    Replacements replacements = served_by(server.url());
    replacements.emplace_back("http = [\"expander.example\"]", "http = [\"127.0.0.1\"]");
    replacements.emplace_back("\"https://expander.example:7000\"", "\"" + server.url() + "\"");
    RunningExample run("grpc_expander.toml", replacements, pending_pods);
    run.wait_for_first_pass();
    EXPECT_TRUE(becomes(60s, [&] { return !server.last_request().empty(); }))
        << "the expander is asked";
    EXPECT_THAT(server.last_request(), AllOf(Contains(StartsWith("option web | 1 |")),
                                             Contains(StartsWith("option batch | 1 |")),
                                             Contains(StartsWith("pod default/web-"))));
    EXPECT_TRUE(run.answers("/api/v2/decisions", R"("what":"increase )"));
    run.stop();
}

void start_empty() {
    const e2e::EmbeddedCluster cluster(example("empty.toml"));
    EXPECT_THAT(cluster.api().names("/api/v1/nodes"), UnorderedElementsAre("control-plane"));
}

/// What `./dev run` shows, to its end.
void start_live() {
    const commands::Folder folder;
    const std::string program = (commands::build_tree() / "bin/capstan").string();
    e2e::Process cluster(
        {program, "cluster", "examples/live.toml", "--run", "--once", "--for", "4m"}, {},
        folder.path() / "log");
    EXPECT_TRUE(becomes(250s, [&] { return !cluster.is_running(); }));
    EXPECT_EQ(cluster.end(SIGTERM), 0) << folder.read("log");
    EXPECT_THAT(folder.read("log"), HasSubstr("the scenario has ended"));
}

void ask_question() {
    const commands::CommandResult ran =
        commands::capstan("pipeline --config examples/capstan.toml --ask examples/question.json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("SPLIT"));
}

const std::vector<Example> table{
    {.file = "aws.toml", .start = run_aws, .package = "moto"},
    {.file = "balancer.toml", .start = run_balancer},
    {.file = "capstan.toml", .start = run_capstan},
    {.file = "empty.toml", .start = start_empty},
    {.file = "external_grpc.toml", .start = run_external_grpc, .package = "grpc"},
    {.file = "gce.toml", .start = run_gce, .package = "googleapiclient"},
    {.file = "grpc_expander.toml", .start = run_grpc_expander, .package = "grpc"},
    {.file = "kwok.toml", .start = run_kwok},
    {.file = "kwok.yaml",
     .elsewhere = {"tests/e2e_embedded/tutorial_test.cpp", "kubectl apply -f examples/kwok.yaml"}},
    {.file = "live.toml", .start = start_live},
    {.file = "live_balancer.toml",
     .elsewhere = {"tests/e2e_embedded/balancer_test.cpp", "examples/live_balancer.toml"}},
    {.file = "provisioning.toml", .start = run_provisioning},
    {.file = "question.json", .start = ask_question},
    {.file = "three_zones.toml",
     .elsewhere = {"tests/scenarios/scenarios_test.cpp", "\"three_zones\""}},
    {.file = "zalando.toml", .start = run_zalando},
};

class ShippedExample : public clouds::CloudDaemonTest,
                       public ::testing::WithParamInterface<Example> {
protected:
    void SetUp() override {
        if (GetParam().package != nullptr)
            skip_because(clouds::package_missing_because(GetParam().package));
    }
};
INSTANTIATE_TEST_SUITE_P(Examples, ShippedExample, ::testing::ValuesIn(table),
                         [](const auto& test) {
                             std::string name = test.param.file;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

TEST_P(ShippedExample, StartsAsItShips) {
    const auto& [file, start, package, elsewhere] = GetParam();
    if (start != nullptr) return start();
    EXPECT_THAT(clouds::text_of(elsewhere.source), HasSubstr(elsewhere.text)) << file;
}

TEST(ShippedExamples, AreAllInTheTable) {
    std::set<std::string> shipped, listed;
    for (const auto& entry : fs::recursive_directory_iterator("examples"))
        if (entry.is_regular_file()) shipped.insert(entry.path().lexically_relative("examples"));
    for (const Example& each : table) listed.insert(each.file);
    EXPECT_EQ(listed, shipped) << "each file needs a row in the table of examples_test.cpp";
}

}  // namespace
}  // namespace capstan::examples
