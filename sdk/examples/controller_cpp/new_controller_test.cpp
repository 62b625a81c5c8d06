#include "new_controller.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using capstan::KubeResource;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;

const KubeResource nodes("", "v1", "nodes", "Node", false);
const KubeResource config_maps("", "v1", "configmaps", "ConfigMap");

struct Counting : ::testing::Test {
    FakeHost host;
    FakeSettings settings;
    NewController controller{host.host(), settings.view()};

    Counting() {
        host.kube().put_text(config_maps,
                             R"({"metadata":{"namespace":"default","name":"new-controller"}})");
        controller.start();
    }
    ~Counting() override { host.stop(); }
    void add_node(const std::string& name) {
        host.kube().put_text(nodes, R"({"metadata":{"name":")" + name + R"("}})");
    }
    capstan::Reconciled reconcile(bool is_first = false) {
        host.run();
        return capstan::testing::run(host, controller.reconcile({.is_first = is_first})).value();
    }
    std::string written() {
        return host.kube()
            .find(config_maps, "default", "new-controller")
            ->text_at({"data", "nodes"});
    }
};

TEST_F(Counting, WritesHowManyNodesThereAre) {
    add_node("a");
    add_node("b");
    EXPECT_EQ(reconcile(true).summary, "counted 2 nodes");
    EXPECT_EQ(written(), "2");
}

TEST_F(Counting, AsksToBeCalledWhenANodeComes) {
    reconcile(true);
    host.take_wish();
    add_node("a");
    host.run();
    EXPECT_TRUE(host.take_wish().has_value());
    reconcile();
    EXPECT_EQ(written(), "1");
}

}  // namespace
