#include "autoscaler/daemon/api_cluster_client.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/client/scripted_api.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct ApiClusterClientTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::client::ScriptedApi api{loop};
    Result<void> may{};
    ApiClusterClient cluster{api, loop, {.gate = [this] { return may; }}};
    std::optional<Result<void>> changed, evicted;

    void change() {
        cluster.change({.node = "n1", .unschedulable = true},
                       [this](Result<void> result) { changed = std::move(result); });
    }
    void evict() {
        cluster.evict({.ns = "shop", .pod = "web-1", .uid = "u1"},
                      [this](Result<void> result) { evicted = std::move(result); });
    }
};

TEST_F(ApiClusterClientTest, SendsWritesWhileLeading) {
    change();
    evict();
    EXPECT_THAT(api.asked(), IsEmpty()) << "the thread of the loop sends them";
    loop.settle();
    EXPECT_EQ(api.open_count(), 2u);
    EXPECT_EQ(api.first("GET").line(), "GET /api/v1/nodes/n1");
    EXPECT_EQ(api.first("POST").line(), "POST /api/v1/namespaces/shop/pods/web-1/eviction");
}

TEST_F(ApiClusterClientTest, SendsNothingAfterTheLeaseIsLost) {
    change();
    evict();
    may = fail(ErrorCode::cancelled, "no longer the leader");
    loop.settle();
    EXPECT_THAT(api.asked(), IsEmpty());
    for (const auto& result : {changed, evicted}) {
        ASSERT_TRUE(result && !*result);
        EXPECT_EQ(result->error().code, ErrorCode::cancelled);
        EXPECT_THAT(result->error().message, HasSubstr("no longer the leader"));
    }
}

TEST_F(ApiClusterClientTest, ChecksTheGateAgainWhenAWriteIsSent) {
    change();
    evict();
    loop.settle();
    api.answer("GET",
               {.body = R"({"kind":"Node","metadata":{"name":"n1","resourceVersion":"1"}})"});
    for (const char* line : {"PATCH", "POST"}) {
        const auto& may_send = api.first(line).request.may_send;
        ASSERT_TRUE(may_send) << line;
        may = {};
        EXPECT_TRUE(may_send()) << line;
        may = fail(ErrorCode::cancelled, "no longer the leader");
        EXPECT_FALSE(may_send()) << line << " was queued when the Lease was lost";
    }
    EXPECT_FALSE(api.asked()[0].request.may_send) << "reads are always allowed";
}

struct UnknownPodsTest : ApiClusterClientTest {
    std::vector<std::string> unknown{};  ///< "n1: shop/web-1/u1"
    std::vector<std::string> results{};  ///< "n1 ok"
    ApiClusterClient rechecker{
        api,
        loop,
        {.on_unknown_pods = [this](const std::string& node, const std::vector<std::string>& pods) {
            for (const std::string& pod : pods) unknown.push_back(node + ": " + pod);
        }}};

    void recheck() {
        rechecker.recheck({{"n1", {}}, {"n2", {}}, {"n3", {}}},
                          [this](std::size_t at, const Result<void>& result) {
                              const std::string node = "n" + std::to_string(at + 1);
                              results.push_back(node + (result ? " ok" : " stays"));
                          });
        loop.settle();
        api.answer(
            {.body =
                 R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})"});
    }
};

TEST_F(UnknownPodsTest, AreReportedWithTheirNode) {
    recheck();
    api.answer(
        {.body =
             R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"namespace":"shop","name":"b","uid":"u2"}},
                                     {"metadata":{"namespace":"shop","name":"a","uid":"u1"}}]})"});
    EXPECT_THAT(unknown, ::testing::ElementsAre("n1: shop/a/u1", "n1: shop/b/u2"));
    unknown.clear();
    api.answer({.body = R"({"kind":"PodList","apiVersion":"v1","items":[]})"});
    api.answer(
        {.body =
             R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"namespace":"shop","name":"c","uid":"u3"}}]})"});
    EXPECT_THAT(unknown, ::testing::ElementsAre("n3: shop/c/u3"));
    EXPECT_THAT(results, ::testing::ElementsAre("n1 stays", "n2 ok", "n3 stays"));
}

TEST_F(UnknownPodsTest, AreNotReportedIfTheServerDoesNotRespond) {
    recheck();
    for (int node = 0; node < 3; ++node) api.fail({ErrorCode::unavailable, "connection lost"});
    EXPECT_THAT(unknown, IsEmpty());
    EXPECT_THAT(results, ::testing::ElementsAre("n1 stays", "n2 stays", "n3 stays"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
