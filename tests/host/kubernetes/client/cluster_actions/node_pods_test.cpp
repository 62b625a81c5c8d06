#include "kubernetes/client/cluster_actions/node_pods.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "../scripted_api.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string pods_at(const std::string& version, const std::string& items) {
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
           R"("},"items":[)" + items + "]}";
}
/// `more`: further members of the pod; `metadata`: of its metadata.
std::string pod_text(const std::string& name, const std::string& metadata = "",
                     const std::string& more = "") {
    return R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":"u-)" + name + "\"" +
           metadata + "}" + more + "}";
}

struct NodePodsTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    NodePods pods{api, loop};
    std::vector<std::string> results;  ///< "n1 ok", "n2 conflict: ..."

    void look(std::vector<engine::removal::NodeRecheck> looks) {
        pods.look(looks, [this, looks](std::size_t at, const Result<void>& result) {
            results.push_back(looks[at].node + " " +
                              (result ? "ok"
                                      : std::string(name_of(result.error().code)) + ": " +
                                            result.error().message));
        });
    }
};

TEST_F(NodePodsTest, AreListedNotOlderThanTheCurrentVersion) {
    look({{"n1", {"shop/a/u-a"}}, {"n2", {}}});
    ASSERT_EQ(api.open_count(), 1u);
    EXPECT_EQ(api.last().line(), "GET /api/v1/pods?limit=1");
    api.answer({.body = pods_at("77", pod_text("z"))});
    ASSERT_EQ(api.open_count(), 2u);
    EXPECT_EQ(api.first().line(),
              "GET /api/v1/pods?fieldSelector=spec.nodeName=n1&resourceVersion=77&"
              "resourceVersionMatch=NotOlderThan");
    api.answer({.body = pods_at("78", pod_text("a"))});
    api.answer({.body = pods_at("78", "")});
    EXPECT_THAT(results, ElementsAre("n1 ok", "n2 ok"));
}

TEST_F(NodePodsTest, AreListedWithTheNodeLookRateLimit) {
    look({{"n1", {}}});
    api.answer({.body = pods_at("77", "")});
    api.answer(refusal(504, "Timeout", "Too large resource version: 77, current: 70"));
    ASSERT_EQ(api.asked().size(), 3u);
    for (const ScriptedApi::Asked& asked : api.asked())
        EXPECT_EQ(asked.request.purpose, node_look_purpose) << asked.line();
}

TEST_F(NodePodsTest, AreNamedIfTheWatchHasNotReportedThem) {
    look({{"n1", {"shop/a/u-a", "shop/b/u-other"}}});
    api.answer({.body = pods_at("77", "")});
    api.answer({.body = pods_at("78", pod_text("c") + "," + pod_text("a") + "," + pod_text("b"))});
    EXPECT_THAT(
        results,
        ElementsAre("n1 conflict: it has pods that the watch has not reported: shop/b, shop/c"));
}

TEST_F(NodePodsTest, MayBeUnknownIfADrainIgnoresThem) {
    look({{"n1", {}}});
    api.answer({.body = pods_at("77", "")});
    const std::string owner = R"(,"ownerReferences":[{"controller":true,"kind":")";
    api.answer(
        {.body = pods_at(
             "78", pod_text("agent", owner + R"(DaemonSet"}])") + "," +
                       pod_text("static", owner + R"(Node"}])") + "," +
                       pod_text("mirror", R"(,"annotations":{"kubernetes.io/config.mirror":"x"})") +
                       "," + pod_text("done", "", R"(,"status":{"phase":"Succeeded"})") + "," +
                       pod_text("failed", "", R"(,"status":{"phase":"Failed"})"))});
    EXPECT_THAT(results, ElementsAre("n1 ok"));
}

TEST_F(NodePodsTest, MayBeUnknownIfTheyAreExpendable) {
    const std::string never_preempts = R"(,"spec":{"priority":-11,"preemptionPolicy":"Never"})";
    const auto find = [&](std::optional<int> expendable_below) {
        results.clear();
        look({{.node = "n1", .expendable_below = expendable_below}});
        api.answer({.body = pods_at("77", "")});
        api.answer({.body = pods_at("78", pod_text("low", "", R"(,"spec":{"priority":-11})") + "," +
                                              pod_text("edge", "", R"(,"spec":{"priority":-10})") +
                                              "," + pod_text("none", "", R"(,"spec":{})") + "," +
                                              pod_text("peer", "", never_preempts))});
        return results.at(0);
    };
    const std::string unknown = "n1 conflict: it has pods that the watch has not reported: ";
    EXPECT_EQ(find(-10), unknown + "shop/edge, shop/none, shop/peer");
    EXPECT_EQ(find(5), unknown + "shop/none, shop/peer")
        << "without a priority, or with preemptionPolicy Never, it is not expendable";
    EXPECT_EQ(find(std::nullopt), unknown + "shop/edge, shop/low, shop/none, shop/peer");
}

TEST_F(NodePodsTest, AreListedWithoutAVersionIfTheCacheIsBehind) {
    look({{"n1", {}}});
    api.answer({.body = pods_at("77", "")});
    api.answer(refusal(504, "Timeout", "Too large resource version: 77, current: 70"));
    EXPECT_EQ(api.last().line(), "GET /api/v1/pods?fieldSelector=spec.nodeName=n1");
    api.answer({.body = pods_at("78", "")});
    EXPECT_THAT(results, ElementsAre("n1 ok"));
}

TEST_F(NodePodsTest, KeepTheNodeIfTheyCannotBeListed) {
    look({{"n1", {}}, {"n2", {}}});
    api.fail({ErrorCode::unavailable, "no connection"});
    EXPECT_THAT(results, ElementsAre("n1 unavailable: look at node n1: no connection",
                                     "n2 unavailable: look at node n2: no connection"));
    results.clear();
    for (const char* body :
         {R"({"kind":"Status"})", "<html>", R"({"kind":"PodList","apiVersion":"v1","items":[1]})",
          R"({"kind":"PodList","apiVersion":"v1","items":null})",
          R"({"kind":"FrobList","apiVersion":"v1","items":[]})"}) {
        look({{"n1", {}}});
        api.answer({.body = pods_at("77", "")});
        api.answer({.body = body});
        EXPECT_THAT(results, ElementsAre(HasSubstr("n1 unavailable"))) << body;
        results.clear();
    }
}

TEST_F(NodePodsTest, CallNoCallbackAfterTheirEnd) {
    {
        NodePods gone(api, loop);
        gone.look({{"n1", {}}}, [](std::size_t, const Result<void>&) { FAIL(); });
    }
    loop.settle();
    EXPECT_THAT(results, IsEmpty());
}

}  // namespace
}  // namespace capstan::kubernetes::client
