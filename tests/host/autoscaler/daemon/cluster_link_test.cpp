#include "autoscaler/daemon/cluster_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::HasSubstr;

/// A kubeconfig with three clusters; no server is running.
struct ClusterLinkTest : ::testing::Test {
    void SetUp() override {
        std::filesystem::create_directories(folder);
        std::ofstream(kubeconfig()) << R"(
apiVersion: v1
kind: Config
current-context: blue
clusters:
- {name: blue, cluster: {server: "https://blue:6443"}}
- {name: red, cluster: {server: "https://red:6443", certificate-authority: nowhere.pem}}
- {name: green, cluster: {server: "http://green:8080"}}
users:
- {name: me, user: {token: sesame}}
contexts:
- {name: blue, context: {cluster: blue, user: me}}
- {name: red, context: {cluster: red, user: me}}
- {name: green, context: {cluster: green, user: me}}
)";
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string kubeconfig() const { return (folder / "config").string(); }
    config::Cluster in_context(const std::string& name) const {
        config::Cluster out;
        out.kubeconfig = kubeconfig();
        out.context = name;
        return out;
    }
    Result<std::unique_ptr<ClusterLink>> open(const config::Cluster& config) {
        return ClusterLink::open(config, loop, log, {.version = "1.0"});
    }
    std::string server_of(const config::Cluster& config) {
        const auto link = open(config);
        return link ? (*link)->server() : link.error().message;
    }

    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("capstan-link-" + std::to_string(::getpid()));
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    std::string log_text;
    plugin_runtime::services::Logger log{config::Log(), clock,
                                         [this](std::string_view line) { log_text += line; }};
};

TEST_F(ClusterLinkTest, ConnectsToTheServerOfTheContext) {
    EXPECT_EQ(server_of(in_context("")), "https://blue:6443");
    EXPECT_EQ(server_of(in_context("green")), "http://green:8080");
}

TEST_F(ClusterLinkTest, ConnectsToTheConfiguredServer) {
    config::Cluster config = in_context("blue");
    config.server = "https://other:6443";
    EXPECT_EQ(server_of(config), "https://other:6443");
}

TEST_F(ClusterLinkTest, NamesTheMistakeInTheConfiguration) {
    config::Cluster gone;
    gone.kubeconfig = (folder / "none").string();
    for (const auto& [config, named] :
         {std::pair(gone, gone.kubeconfig), std::pair(in_context("pink"), std::string("pink")),
          std::pair(in_context("red"), std::string("nowhere.pem"))}) {
        const auto link = open(config);
        ASSERT_FALSE(link) << named;
        EXPECT_EQ(link.error().code, ErrorCode::invalid_config) << named;
        EXPECT_THAT(link.error().message, HasSubstr("cluster"));
        EXPECT_THAT(link.error().message, HasSubstr(named));
    }
}

TEST_F(ClusterLinkTest, DoesNotLogTheToken) {
    EXPECT_TRUE(open(in_context("blue")));
    EXPECT_TRUE(open(in_context("green"))) << "over plain HTTP";
    EXPECT_THAT(log_text, ::testing::Not(HasSubstr("sesame")));
}

TEST_F(ClusterLinkTest, SendsNothingWhenOpened) {
    int attempts = 0;
    const auto link = ClusterLink::open(
        in_context("blue"), loop, log,
        {.on_attempt = [&](const kubernetes::client::ApiAttempt&) { ++attempts; }});
    ASSERT_TRUE(link);
    loop.settle();
    EXPECT_EQ(attempts, 0);
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
