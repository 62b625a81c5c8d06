#include "aws_story.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <boost/json/serialize.hpp>

namespace capstan::aws {
namespace {

namespace json = boost::json;

constexpr auto system_node = R"(
[[node]]
name = "control-plane"
cpu = "4"
memory = "16Gi"
taints = ["node-role.kubernetes.io/control-plane:NoSchedule"]
)";

constexpr auto quick = R"(
[scale_down]
delay_after_add = "1s"
delay_after_failure = "1s"
unneeded_time = "2s"
node_delete_delay_after_taint = "500ms"
eviction_retry = "1s"
)";

/// Groups are read anew each second, for a story is short.
std::string scenario(const AwsServer& aws, const StoryOptions& options) {
    std::ostringstream out;
    out << "title = \"a shop on AWS\"\nready_delay = \"200ms\"\nscan_interval = \""
        << options.scan_interval << "\"\n"
        << "[pipeline]\nclouds = [\"aws\"]\n[pipeline.scale_up]\nexpanders = " << options.expanders
        << "\nsimilarity = [\"resources\", \"labels\"]\n"
        << options.scale_up
        << "[plugin.labels]\nsettings = { preset = \"aws\" }\n[plugin.aws]\ngrants = { http = "
           "[\"127.0.0.1\"] }\n"
        << "[plugin.aws.settings]\nregion = \"" << region << "\"\ncluster = \"" << cluster_name
        << "\"\nendpoint_url = \"" << aws.url()
        << "\"\nrefresh_every = \"1s\"\ndiscovery = " << options.discovery
        << "\ncredentials = { imds_endpoint = \"" << aws.url() << "\" }\n"
        << options.settings;
    if (!options.queue.empty())
        out << "event_queue_url = \"" << aws.url() << "/123456789012/" << options.queue << "\"\n";
    out << options.more << quick << "empty_group_time = \"" << options.empty_group_time << "\"\n"
        << system_node << "[[replica_set]]\nname = \"web\"\ncount = 1\ncpu = \"" << options.cpu
        << "\"\nstart_up = \"200ms\"\ngrace = \"2s\"\n"
        << options.pods;
    return std::move(out).str();
}

std::string calls_of(const AwsServer& aws) {
    std::ostringstream out;
    for (const Call& call : aws.calls())
        out << call.number << " " << call.service << ":" << call.action << " " << call.status << " "
            << json::serialize(call.parameters).substr(0, 300) << " " << call.answer.substr(0, 300)
            << "\n";
    return std::move(out).str();
}

}  // namespace

AwsStory::AwsStory(const World& world, const StoryOptions& options)
    : aws_(world),
      cluster_(std::make_unique<e2e::EmbeddedCluster>(scenario(aws_, options))),
      joiner_(std::make_unique<e2e::Process>(
          std::vector<std::string>{"build/python/bin/python", "tests/aws/joiner",
                                   (cluster_->dir() / "kubeconfig").string(), aws_.own_url()},
          e2e::Process::Variables{}, folder_.path() / "joiner.log")) {}

void AwsStory::run() { daemon_.emplace(*cluster_, "daemon"); }

std::vector<std::string> AwsStory::nodes() const { return api().names("/api/v1/nodes", "aws:///"); }

commands::Ran AwsStory::ask(const std::string& command) const {
    return commands::capstan(command + " --config '" + cluster_->config().string() + "'");
}

std::string AwsStory::log() const {
    return "-- cluster --\n" + cluster_->log() + "-- daemon --\n" +
           (daemon_ ? daemon_->log() : "") + "-- joiner --\n" + folder_.read("joiner.log") +
           "-- server --\n" + aws_.log() + "-- calls --\n" + calls_of(aws_);
}

void AwsStories::SetUp() {
    const std::string because = AwsServer::missing_because();
    if (because.empty()) return;
    const char* const ci = std::getenv("CI");
    ASSERT_FALSE(ci != nullptr && std::string(ci) == "true") << because;
    GTEST_SKIP() << because;
}

void AwsStories::TearDown() {
    if (!story_) return;
    EXPECT_THAT(story_->aws().violations(), ::testing::IsEmpty());
    if (HasFailure()) std::cerr << story_->log();
}

AwsStory& AwsStories::begin(const World& world, const StoryOptions& options) {
    story_ = std::make_unique<AwsStory>(world, options);
    return *story_;
}

}  // namespace capstan::aws
