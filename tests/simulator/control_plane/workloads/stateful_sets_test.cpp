#include "../test_cluster.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

struct StatefulSetsTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(5);
        advance(2s);
    }
    void add_set(const std::string& spec, const std::string& pod = pod_template()) {
        add_workload("statefulsets.apps", "db", "'serviceName':'db'," + spec, pod);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const api_server::ApiObject& pod : all("pods"))
            out.push_back(std::string(api_server::text_at(*pod, "metadata.name")) +
                          (is_terminating(*pod) ? " terminating"
                           : is_ready(*pod)     ? " ready"
                                                : ""));
        return out;
    }
};

TEST_F(StatefulSetsTest, CreatePodsOneAfterTheOther) {
    add_set("'replicas':3,");
    advance(1s);
    EXPECT_THAT(names(), ElementsAre("db-0"));
    advance(2s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready", "db-1"));
    advance(10s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready", "db-1 ready", "db-2 ready"));
    EXPECT_EQ(number("statefulsets.apps", "db", "status.availableReplicas"), 3);
}

TEST_F(StatefulSetsTest, CreatePodsAtOnceWithParallelPolicy) {
    add_set("'replicas':3,'podManagementPolicy':'Parallel',");
    advance(0s);
    EXPECT_THAT(names(), SizeIs(3));
}

TEST_F(StatefulSetsTest, DeleteTheHighestOrdinalFirst) {
    add_set("'replicas':3,");
    advance(10s);
    set("statefulsets.apps", "db", "spec.replicas", 1);
    advance(1s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready", "db-1 ready", "db-2 terminating"));
    advance(20s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready"));
}

TEST_F(StatefulSetsTest, RecreateADeletedPodWithItsName) {
    add_set("'replicas':2,");
    advance(10s);
    const std::string before = text("pods", "db-0", "metadata.uid");
    remove("pods", "db-0");
    advance(20s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready", "db-1 ready"));
    EXPECT_NE(text("pods", "db-0", "metadata.uid"), before);
}

TEST_F(StatefulSetsTest, UpdateFromTheHighestOrdinalDownToThePartition) {
    add_set(
        "'replicas':3,'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'partition':1}},");
    advance(10s);
    set("statefulsets.apps", "db", "spec.template", quoted_object(pod_template("1", "", "web:2")));
    advance(1s);
    EXPECT_THAT(names(), ElementsAre("db-0 ready", "db-1 ready", "db-2 terminating"));
    advance(1min);
    const auto image = [&](const std::string& name) {
        const json::object pod = get("pods", name);
        return std::string(api_server::text_at(
            api_server::find_array(pod, "spec.containers")->at(0).as_object(), "image"));
    };
    EXPECT_EQ(image("db-0"), "web:1");
    EXPECT_EQ(image("db-1"), "web:2");
    EXPECT_EQ(image("db-2"), "web:2");
    EXPECT_EQ(number("statefulsets.apps", "db", "status.updatedReplicas"), 2);
    EXPECT_EQ(number("statefulsets.apps", "db", "status.currentReplicas"), 1);
    remove("pods", "db-0");
    advance(1min);
    EXPECT_EQ(image("db-0"), "web:1");
}

TEST_F(StatefulSetsTest, SetTheCurrentRevisionAfterARollout) {
    add_set("'replicas':2,");
    advance(10s);
    set("statefulsets.apps", "db", "spec.template", quoted_object(pod_template("1", "", "web:2")));
    advance(1min);
    const json::object set = get("statefulsets.apps", "db");
    EXPECT_EQ(api_server::text_at(set, "status.currentRevision"),
              api_server::text_at(set, "status.updateRevision"));
    EXPECT_EQ(number_or(set, "status.updatedReplicas", 0), 2);
    EXPECT_THAT(all("controllerrevisions.apps"), SizeIs(2));
}

TEST_F(StatefulSetsTest, KeepTheirClaimsWhenScaledDown) {
    create("statefulsets.apps",
           "{'metadata':{'name':'db'},'spec':{'replicas':1,'podManagementPolicy':'Parallel',"
           "'selector':{'matchLabels':{'app':'web'}},"
           "'volumeClaimTemplates':[{'metadata':{'name':'data'},'spec':{'accessModes':"
           "['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}],'template':" +
               pod_template() + "}}");
    advance(5s);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_EQ(text("persistentvolumeclaims", "data-db-0", "spec.resources.requests.storage"),
              "1Gi");
    const json::object pod = get("pods", "db-0");
    EXPECT_EQ(api_server::text_at(api_server::find_array(pod, "spec.volumes")->at(0).as_object(),
                                  "persistentVolumeClaim.claimName"),
              "data-db-0");
    set("statefulsets.apps", "db", "spec.replicas", 0);
    advance(10s);
    EXPECT_EQ(phases(), "");
    EXPECT_THAT(all("persistentvolumeclaims"), SizeIs(1));
}

}  // namespace
}  // namespace capstan::simulator::control_plane
