#include "runtime/daemon/api_cluster_client.hpp"

#include <gmock/gmock.h>

#include <optional>

#include "kubernetes/client/scripted_api.hpp"

namespace capstan::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Writes : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::ScriptedApi api{loop};
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

TEST_F(Writes, AreSentWhileTheGateIsOpen) {
    change();
    evict();
    EXPECT_THAT(api.asked(), IsEmpty()) << "the loop's thread is to send them";
    loop.settle();
    EXPECT_EQ(api.open_count(), 2u);
    EXPECT_EQ(api.first("GET").line(), "GET /api/v1/nodes/n1");
    EXPECT_EQ(api.first("POST").line(), "POST /api/v1/namespaces/shop/pods/web-1/eviction");
}

TEST_F(Writes, AreNotSentOnceTheLeaseIsLostThoughTheyWereAskedForBefore) {
    change();
    evict();
    may = fail(ErrorCode::cancelled, "this host leads no longer");
    loop.settle();
    EXPECT_THAT(api.asked(), IsEmpty());
    for (const auto& result : {changed, evicted}) {
        ASSERT_TRUE(result && !*result);
        EXPECT_EQ(result->error().code, ErrorCode::cancelled);
        EXPECT_THAT(result->error().message, HasSubstr("this host leads no longer"));
    }
}

TEST_F(Writes, AreAskedAboutAgainWhenTheyLeave) {
    change();
    evict();
    loop.settle();
    api.answer("GET",
               {.body = R"({"kind":"Node","metadata":{"name":"n1","resourceVersion":"1"}})"});
    for (const char* line : {"PATCH", "POST"}) {
        const auto& may_leave = api.first(line).request.may_leave;
        ASSERT_TRUE(may_leave) << line;
        may = {};
        EXPECT_TRUE(may_leave()) << line;
        may = fail(ErrorCode::cancelled, "this host leads no longer");
        EXPECT_FALSE(may_leave()) << line << " waited for its turn, and the Lease is lost";
    }
    EXPECT_FALSE(api.asked()[0].request.may_leave) << "reading harms nobody";
}

}  // namespace
}  // namespace capstan::runtime
