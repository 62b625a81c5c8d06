#include "../test_cluster.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct DeploymentsTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(5);
        advance(2s);
    }
    void deploy(const std::string& spec, const std::string& pod = pod_template()) {
        add_workload("deployments.apps", "web", spec, pod);
    }
    void set_image(const std::string& image) {
        edit("deployments.apps", "web", [&](json::object& object) {
            object["spec"]
                .as_object()["template"]
                .as_object()["spec"]
                .as_object()["containers"]
                .as_array()[0]
                .as_object()["image"] = image;
        });
    }
    /// "web:1 x3, web:2 x1", by image of the ReplicaSets that want pods.
    std::string sets() const {
        std::map<std::string, std::int64_t> sizes;
        for (const api_server::ApiObject& set : all("replicasets.apps"))
            if (const auto wanted = number_or(*set, "spec.replicas", 0); wanted > 0)
                sizes[std::string(api_server::text_at(
                    api_server::find_array(*set, "spec.template.spec.containers")
                        ->at(0)
                        .as_object(),
                    "image"))] += wanted;
        std::string out;
        for (const auto& [image, size] : sizes)
            out += (out.empty() ? "" : ", ") + image + " x" + std::to_string(size);
        return out;
    }
    /// What `kubectl rollout status` waits for.
    bool is_rolled_out() const {
        const json::object object = get("deployments.apps", "web");
        const auto count = [&](const char* path) { return number_or(object, path, 0); };
        return count("status.observedGeneration") >= count("metadata.generation") &&
               count("status.updatedReplicas") >= count("spec.replicas") &&
               count("status.replicas") <= count("status.updatedReplicas") &&
               count("status.availableReplicas") >= count("status.updatedReplicas");
    }
};

TEST_F(DeploymentsTest, RunTheirReplicasAndReportIt) {
    deploy("'replicas':3,");
    advance(0s);
    EXPECT_FALSE(is_rolled_out());
    EXPECT_THAT(condition("deployments.apps", "web", "Available"),
                HasSubstr("False MinimumReplicasUnavailable"));
    advance(3s);
    EXPECT_EQ(phases(), "Running 3");
    EXPECT_TRUE(is_rolled_out());
    EXPECT_EQ(condition("deployments.apps", "web", "Available"),
              "True MinimumReplicasAvailable: Deployment has minimum availability.");
    EXPECT_THAT(condition("deployments.apps", "web", "Progressing"),
                HasSubstr("True NewReplicaSetAvailable"));
}

TEST_F(DeploymentsTest, NameReplicaSetsAndPodsByTheTemplateHash) {
    deploy("");
    advance(3s);
    const api_server::ApiObject set = all("replicasets.apps").at(0);
    const std::string hash(api_server::label_of(*set, "pod-template-hash"));
    EXPECT_EQ(api_server::text_at(*set, "metadata.name"), "web-" + hash);
    const api_server::ApiObject pod = all("pods").at(0);
    EXPECT_THAT(std::string(api_server::text_at(*pod, "metadata.name")),
                ::testing::StartsWith("web-" + hash + "-"));
    EXPECT_EQ(api_server::label_of(*pod, "pod-template-hash"), hash);
}

TEST_F(DeploymentsTest, ScaleUpAndDown) {
    deploy("'replicas':2,");
    advance(3s);
    set("deployments.apps", "web", "spec.replicas", 7);
    advance(3s);
    EXPECT_EQ(phases(), "Running 7");
    EXPECT_TRUE(is_rolled_out());
    set("deployments.apps", "web", "spec.replicas", 1);
    advance(10s);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_TRUE(is_rolled_out());
    EXPECT_THAT(all("replicasets.apps"), SizeIs(1));
}

TEST_F(DeploymentsTest, RollOutWithinMaxSurgeAndMaxUnavailable) {
    deploy(
        "'replicas':4,'strategy':{'type':'RollingUpdate','rollingUpdate':"
        "{'maxSurge':1,'maxUnavailable':1}},");
    advance(5s);
    set_image("web:2");
    for (int i = 0; i < 200 && !(is_rolled_out() && sets() == "web:2 x4"); ++i) {
        advance(100ms);
        std::int64_t wanted = 0, ready = 0;
        for (const api_server::ApiObject& set : all("replicasets.apps"))
            wanted += number_or(*set, "spec.replicas", 0);
        for (const api_server::ApiObject& pod : all("pods"))
            ready += is_ready(*pod) && !is_terminating(*pod);
        EXPECT_LE(wanted, 5);
        EXPECT_GE(ready, 3);
    }
    EXPECT_EQ(sets(), "web:2 x4");
    EXPECT_TRUE(is_rolled_out());
    EXPECT_EQ(text("deployments.apps", "web", "metadata.annotations"), "");
    EXPECT_EQ(api_server::annotation_of(get("deployments.apps", "web"),
                                        "deployment.kubernetes.io/revision"),
              "2");
}

TEST_F(DeploymentsTest, ReuseTheOldReplicaSetOnRollback) {
    deploy("'replicas':2,");
    advance(5s);
    set_image("web:2");
    advance(20s);
    set_image("web:1");
    advance(20s);
    EXPECT_EQ(sets(), "web:1 x2");
    EXPECT_THAT(all("replicasets.apps"), SizeIs(2));
    EXPECT_EQ(api_server::annotation_of(get("deployments.apps", "web"),
                                        "deployment.kubernetes.io/revision"),
              "3");
}

TEST_F(DeploymentsTest, RecreatePodsAfterAllOldPodsEnded) {
    deploy("'replicas':3,'strategy':{'type':'Recreate'},");
    advance(5s);
    set_image("web:2");
    advance(1s);
    EXPECT_EQ(sets(), "");
    EXPECT_EQ(phases(), "terminating 3");
    advance(10s);
    EXPECT_EQ(sets(), "web:2 x3");
    EXPECT_EQ(phases(), "Running 3");
    EXPECT_TRUE(is_rolled_out());
}

TEST_F(DeploymentsTest, ScaleBothReplicaSetsDuringARollout) {
    deploy(
        "'replicas':4,'strategy':{'type':'RollingUpdate','rollingUpdate':"
        "{'maxSurge':0,'maxUnavailable':2}},");
    advance(5s);
    // The new pods take a day to start, so the rollout stops halfway.
    edit("deployments.apps", "web", [](json::object& object) {
        object["spec"].as_object()["template"] =
            quoted_object(pod_template("1", "", "web:2", "'simulation.capstan.io/start-up':'24h'"));
    });
    advance(1min);
    EXPECT_EQ(sets(), "web:1 x2, web:2 x2");
    set("deployments.apps", "web", "spec.replicas", 8);
    advance(1min);
    EXPECT_EQ(sets(), "web:1 x4, web:2 x4");
}

TEST_F(DeploymentsTest, ReportThatTheProgressDeadlineIsExceeded) {
    deploy("'replicas':1,'progressDeadlineSeconds':60,", pod_template("100"));
    advance(59s);
    EXPECT_THAT(condition("deployments.apps", "web", "Progressing"),
                HasSubstr("True ReplicaSetUpdated"));
    advance(2s);
    EXPECT_THAT(condition("deployments.apps", "web", "Progressing"),
                HasSubstr("False ProgressDeadlineExceeded"));
}

TEST_F(DeploymentsTest, DoNotRollOutWhilePaused) {
    deploy("'replicas':2,");
    advance(5s);
    set("deployments.apps", "web", "spec.paused", true);
    set_image("web:2");
    advance(1min);
    EXPECT_EQ(sets(), "web:1 x2");
    set("deployments.apps", "web", "spec.paused", false);
    advance(1min);
    EXPECT_EQ(sets(), "web:2 x2");
}

TEST_F(DeploymentsTest, CountPodsAsAvailableAfterMinReadySeconds) {
    deploy("'replicas':2,'minReadySeconds':30,");
    advance(10s);
    EXPECT_EQ(number("deployments.apps", "web", "status.readyReplicas"), 2);
    EXPECT_FALSE(is_rolled_out());
    advance(30s);
    EXPECT_TRUE(is_rolled_out());
}

TEST_F(DeploymentsTest, KeepTheConfiguredNumberOfOldReplicaSets) {
    deploy("'replicas':1,'revisionHistoryLimit':1,");
    for (int i = 2; i <= 5; ++i) {
        advance(20s);
        set_image("web:" + std::to_string(i));
    }
    advance(20s);
    EXPECT_THAT(all("replicasets.apps"), SizeIs(2));
}

TEST_F(DeploymentsTest, RecordScalingEvents) {
    deploy("'replicas':2,");
    advance(5s);
    set("deployments.apps", "web", "spec.replicas", 3);
    advance(5s);
    const std::string name(api_server::text_at(*all("replicasets.apps").at(0), "metadata.name"));
    EXPECT_THAT(event_messages("ScalingReplicaSet"),
                ElementsAre("Scaled up replica set " + name + " from 0 to 2",
                            "Scaled up replica set " + name + " from 2 to 3"));
}

}  // namespace
}  // namespace capstan::simulator::control_plane
