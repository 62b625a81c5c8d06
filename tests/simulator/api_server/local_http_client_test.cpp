#include "simulator/api_server/local_http_client.hpp"

#include "api_server_fixture.hpp"
#include "io/curl_http_client.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Result of a request.
struct End {
    int status = 0;  ///< 0: an error
    ErrorCode error{};
    std::string provider_code{}, body{};
    bool operator==(const End&) const = default;
};
std::ostream& operator<<(std::ostream& out, const End& end) {
    return out << end.status << ' ' << name_of(end.error) << ' ' << end.provider_code << ' '
               << end.body;
}

struct LocalHttpTest : ApiServerTest {
    LocalHttpClient local{server, loop};
    std::optional<End> ended{};

    io::HttpClient::Done keep() {
        return [this](const Result<HttpReply>& reply) {
            ended = reply ? End{reply->status, {}, {}, reply->body + streamed}
                          : End{0, reply.error().code, reply.error().provider_code, streamed};
        };
    }
    io::HttpClient::Listener listener() {
        streamed.clear();
        return {.on_head = [this](const HttpReply& head) { status = head.status; },
                .on_part = [this](std::string_view part) { streamed += part; }};
    }
    HttpRequest request(const std::string& target, const std::string& method = "GET") {
        return HttpRequest(method, server.url() + target);
    }
    /// Waits until the request has ended on the server as well.
    End wait() {
        for (int i = 0; i < 10'000 && !ended; ++i) {
            if (io.stopped()) io.restart();
            io.run_for(1ms);
        }
        loop.settle();
        return std::exchange(ended, std::nullopt).value_or(End{});
    }
    std::string streamed{};
    int status = 0;
};

TEST_F(LocalHttpTest, ReturnsTheErrorsOfARealConnection) {
    ASSERT_TRUE(server.listen());
    const ApiFault faults[] = {{.times = 0},
                               {.status = 429, .retry_after_s = 3},
                               {.status = 500, .is_carried_out = true},
                               {.cuts = true},
                               {.cuts = true, .is_carried_out = true},
                               {.spoil = ResponseCorruption::garbage},
                               {.spoil = ResponseCorruption::half},
                               {.spoil = ResponseCorruption::torn}};
    for (const ApiFault& fault : faults) {
        const auto send_by = [&](io::HttpClient& by, bool streams) {
            server.faults().add(fault);
            const HttpRequest asked = request("/api/v1/namespaces/default");
            streams ? by.stream(asked, listener(), keep()) : by.send(asked, keep());
            return wait();
        };
        SCOPED_TRACE(json::serialize(fault_object(fault)));
        // curl itself retries a read on a connection that was used before; new clients have none.
        io::CurlHttpClient network(io), another(io);
        EXPECT_EQ(send_by(local, false), send_by(network, false));
        EXPECT_EQ(send_by(local, true), send_by(another, true));
    }
}

TEST_F(LocalHttpTest, FailsOpenAndNewRequestsWhileUnreachable) {
    status = 0;
    local.stream(request("/api/v1/nodes?watch=true"), listener(), keep());
    loop.settle();
    EXPECT_EQ(status, 200);
    local.set_reachable(false);
    EXPECT_EQ(wait(), (End{0, ErrorCode::unavailable, std::string(io::connection_lost), ""}));
    EXPECT_EQ(server.watch_count(), 0u);
    local.send(request("/api/v1/nodes"), keep());
    EXPECT_EQ(wait(), (End{0, ErrorCode::unavailable, "", ""}));
    local.set_reachable(true);
    local.send(request("/api/v1/nodes"), keep());
    EXPECT_EQ(wait().status, 200);
}

TEST_F(LocalHttpTest, ClosesTheWatchOnTheServerWhenCancelled) {
    const auto watch = local.stream(request("/api/v1/nodes?watch=true"), listener(), keep());
    loop.settle();
    EXPECT_EQ(server.watch_count(), 1u);
    local.cancel(watch);
    EXPECT_EQ(wait().error, ErrorCode::cancelled);
    EXPECT_EQ(server.watch_count(), 0u);
}

TEST_F(LocalHttpTest, EndsRequestsAtTheirTimeout) {
    server.faults().add({.delay = 60s});
    HttpRequest patient = request("/api/v1/nodes");
    local.send(std::move(patient).within(30s), keep());
    loop.advance(29s);
    EXPECT_FALSE(ended);
    loop.advance(1s);
    EXPECT_EQ(wait().error, ErrorCode::deadline);
    loop.advance(60s);
    EXPECT_FALSE(ended) << "the late response is dropped";
}

TEST_F(LocalHttpTest, CallsNoCallbackAfterItsEnd) {
    auto gone = std::make_unique<LocalHttpClient>(server, loop);
    gone->send(request("/api/v1/nodes"), keep());
    gone->stream(request("/api/v1/nodes?watch=true"), listener(), keep());
    gone.reset();
    loop.settle();
    EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace capstan::simulator::api_server
