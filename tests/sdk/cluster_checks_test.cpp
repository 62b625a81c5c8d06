#include <capstan/cluster_checks.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;

Json json_of(const std::string& text) {
    const auto read = parse_json(text);
    EXPECT_TRUE(read) << read.error();
    return read.value_or(Json());
}

Json labelled_node(const std::string& id, const std::string& labels,
                   const std::string& taints = "") {
    return json_of(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": ")" + id +
                   R"(", "labels": {)" + labels + R"(}}, "spec": {"providerID": "acme:///a/)" + id +
                   R"(", "taints": [)" + taints + "]}}");
}

CheckedGroup web(std::vector<std::string> ids) {
    CheckedGroup out{.name = "web"};
    for (const std::string& id : ids) out.provider_ids.push_back("acme:///a/" + id);
    return out;
}

constexpr const char* team_text = R"("team": "a", "kubernetes.io/arch": "amd64")";
constexpr const char* dedicated_text =
    R"({"key": "dedicated", "value": "gpu", "effect": "NoSchedule"})";

TEST(UnreportedMarks, AreOnAllNodesButNotInTheTemplate) {
    const std::vector<Json> nodes{labelled_node("i-1", team_text, dedicated_text),
                                  labelled_node("i-2", team_text, dedicated_text)};
    EXPECT_THAT(find_unreported_marks(nodes, {web({"i-1", "i-2"})}),
                ElementsAre("group web: all its nodes have label team=a, taint "
                            "dedicated=gpu:NoSchedule, but its template does not, so new "
                            "nodes are planned without them"));
}

TEST(UnreportedMarks, DoNotIncludeMarksOfTheTemplate) {
    CheckedGroup reported = web({"i-1"});
    reported.node.labels = {{"team", "a"}};
    reported.node.taints = {{"dedicated", "gpu", Effect::no_schedule}};
    EXPECT_THAT(
        find_unreported_marks({labelled_node("i-1", team_text, dedicated_text)}, {reported}),
        IsEmpty());
}

TEST(UnreportedMarks, DoNotIncludeMarksOfOneNodeOrTemporaryMarks) {
    const std::vector<Json> nodes{
        labelled_node("i-1", team_text),
        labelled_node("i-2", R"("eks.amazonaws.com/nodegroup": "web")",
                      R"({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})")};
    EXPECT_THAT(find_unreported_marks(nodes, {web({"i-1", "i-2"})}), IsEmpty());
    EXPECT_THAT(find_unreported_marks({nodes[1]}, {web({"i-2"})}), IsEmpty());
    EXPECT_THAT(find_unreported_marks(nodes, {web({})}), IsEmpty()) << "a group without nodes";
}

Json daemon_set(const std::string& name, const std::string& containers) {
    return json_of(R"({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": ")" +
                   name + R"(", "namespace": "kube-system"}, "spec": {"template": {"spec": )" +
                   R"({"containers": [)" + containers + "]}}}}");
}

TEST(MissingRequests, AreThoseOfDaemonSetContainers) {
    const std::vector<Json> sets{
        daemon_set("whole",
                   R"({"name": "a", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}})"),
        daemon_set("by-limits",
                   R"({"name": "a", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}})"),
        daemon_set("half", R"({"name": "a", "resources": {"requests": {"cpu": "1"}}})"),
        daemon_set("none", R"({"name": "a"}, {"name": "b", "resources": {}})")};
    EXPECT_THAT(find_missing_requests(sets),
                ElementsAre(HasSubstr("kube-system/half: containers without requests: a (memory);"),
                            HasSubstr("requests: a (cpu), a (memory), b (cpu), b (memory);")));
}

struct ClusterChecks : ::testing::Test {
    FakeHost host{};
    KubeResource nodes{"", "v1", "nodes", "Node", false};
    KubeResource daemon_sets{"apps", "v1", "daemonsets", "DaemonSet"};
    std::vector<std::string> check() {
        return run(host, check_cluster(host.host(), {web({"i-1"})})).value();
    }
};

TEST_F(ClusterChecks, CheckNodesAndDaemonSets) {
    host.kube().serve(daemon_sets);
    EXPECT_THAT(check(), IsEmpty());
    host.kube().put(nodes, labelled_node("i-1", team_text));
    host.kube().put(daemon_sets, daemon_set("none", R"({"name": "a"})"));
    EXPECT_THAT(check(), ElementsAre(HasSubstr("label team=a"), HasSubstr("a (cpu)")));
}

TEST_F(ClusterChecks, ReportMissingGrants) {
    host.kube().serve(daemon_sets).grant("daemonsets.apps:list");
    EXPECT_THAT(check(), ElementsAre("not checked: labels and taints of nodes against "
                                     "templates: add \"nodes:list\" to grants.kube"));
}

}  // namespace
}  // namespace capstan
