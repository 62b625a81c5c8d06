#include <boost/json/parse.hpp>

#include <fstream>

#include "control_plane_fixture.hpp"

namespace capstan::e2e {
namespace {

/// A daemon behind a proxy that holds back events of the pod watch.
struct ControlPlaneStaleView : ControlPlaneTest, ::testing::WithParamInterface<const char*> {
    void start_proxy() {
        const std::string shown = cluster->kubectl({"config", "view", "--minify", "--output=json"});
        const std::string server(
            boost::json::parse(shown).at("clusters").at(0).at("cluster").at("server").as_string());
        proxy = std::make_unique<Process>(
            std::vector<std::string>{"tests/e2e/api_proxy", cluster->folder().string(), server,
                                     (cluster->control_plane() / "authority.crt").string()},
            Process::Variables{}, cluster->folder() / "proxy.log");
        const std::filesystem::path port = cluster->folder() / "proxy-port";
        ASSERT_TRUE(becomes(30s, [&] { return std::filesystem::exists(port); }));
        std::string number;
        std::ifstream(port) >> number;
        std::filesystem::copy(cluster->capstans_kubeconfig(), kubeconfig());
        cluster->kubectl({"config", "--kubeconfig=" + kubeconfig().string(), "set-cluster", "here",
                          "--server=http://127.0.0.1:" + number});
    }
    std::filesystem::path kubeconfig() const { return cluster->folder() / "proxied.conf"; }
    void set_mode(const char* mode) const {
        std::ofstream(cluster->folder() / "proxy-mode") << mode;
    }

    std::unique_ptr<Process> proxy;
};

TEST_P(ControlPlaneStaleView, RemovesNoNodeThatHasPods) {
    ASSERT_NO_FATAL_FAILURE(start_proxy());
    // The unneeded time is long: on a loaded machine it may take a while until six pods are bound,
    // and no node may be removed before.
    const Daemon daemon(*cluster, "stale", cloud_in({"a"}, 3, "40s"), kubeconfig());
    PodWatch pods(*cluster);
    cluster->apply(budget(6));
    cluster->apply(deployment(6, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return pods.ready() == 6 && has_ready_nodes(3); }));
    scale(0);
    ASSERT_TRUE(becomes(60s, [&] { return pods.present() == 0; }));
    set_mode(GetParam());
    scale(6);
    ASSERT_TRUE(becomes(60s, [&] { return pods.ready() == 6; }));
    pods.begin_counting();
    // Twice the unneeded time.
    EXPECT_FALSE(becomes(80s, [&] { return cluster->nodes().size() != 3; }));
    EXPECT_EQ(pods.min_ready(), 6u);
    if (std::string(GetParam()) == "silent") {
        EXPECT_THAT(daemon.log(), ::testing::HasSubstr("the watch of pods has not reported"));
    }
    set_mode("");
    scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return cluster->nodes().empty(); }))
        << "the view is current again";
}

INSTANTIATE_TEST_SUITE_P(PodWatch, ControlPlaneStaleView, ::testing::Values("cut", "silent"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace capstan::e2e
