#include "autoscaler/daemon/daemon_metrics.hpp"

#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <memory>
#include <string>

#include "autoscaler/daemon/live_cluster.hpp"
#include "kubernetes/client/fake_network.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

/// Metrics of the requests of an API client.
struct RequestMetrics : ::testing::Test {
    RequestMetrics() { limit_to(100, 100); }
    void limit_to(double per_second, double burst) {
        client = std::make_unique<kubernetes::client::ApiClient>(
            network, loop, credentials,
            kubernetes::client::ApiClientOptions{
                .server = "https://api.test:6443/prefix",
                .requests_per_second = per_second,
                .burst = burst,
                .on_attempt = [this](const kubernetes::client::ApiAttempt& attempt) {
                    metrics.count_request(attempt);
                }});
    }
    void send(const std::string& method, const std::string& purpose = "test") {
        client->send({.method = method, .path = "/api/v1/nodes/n1", .purpose = purpose},
                     [](const auto&) {});
        loop.settle();
    }
    std::string exposition() const {
        return prometheus::TextSerializer().Serialize(registry.Collect());
    }

    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::client::FakeNetwork network{loop};
    kubernetes::client::FakeCredentials credentials{loop};
    prometheus::Registry registry;
    DaemonMetrics metrics{registry};
    std::unique_ptr<kubernetes::client::ApiClient> client;
};

std::string count_of(const std::string& code, const std::string& method, int count) {
    return "rest_client_requests_total{code=\"" + code + "\",host=\"api.test:6443\",method=\"" +
           method + "\"} " + std::to_string(count) + "\n";
}

/// A line of a histogram; `part` is "sum", "count", or the bound of a bucket.
std::string line_of(const std::string& name, const std::string& verb, const std::string& part,
                    const std::string& value) {
    const bool is_bucket = part != "sum" && part != "count";
    const std::string bound = is_bucket ? ",le=\"" + part + "\"" : "";
    return "rest_client_" + name + "_duration_seconds_" + (is_bucket ? "bucket" : part) +
           "{host=\"api.test:6443\",verb=\"" + verb + "\"" + bound + "} " + value + "\n";
}

TEST(PassIntervals, AreMeasuredWithinOneTerm) {
    prometheus::Registry registry;
    DaemonMetrics metrics(registry);
    const auto exposition = [&] {
        return prometheus::TextSerializer().Serialize(registry.Collect());
    };
    metrics.pass_began(Time(), 100s);
    EXPECT_THAT(exposition(), HasSubstr("capstan_pass_interval_seconds_count 0\n"));
    metrics.pass_began(Time(), 102s);
    metrics.pass_began(Time(), 108s);
    metrics.term_began();
    metrics.pass_began(Time(), 900s);
    EXPECT_THAT(exposition(),
                AllOf(HasSubstr("capstan_pass_interval_seconds_count 2\n"),
                      HasSubstr("capstan_pass_interval_seconds_sum 8\n"),
                      HasSubstr("capstan_pass_interval_seconds_bucket{le=\"2.2\"} 1\n")));
}

TEST_F(RequestMetrics, CountRequestsByStatus) {
    for (const int status : {200, 200, 404}) send("GET"), network.answer(status);
    send("PATCH");
    network.answer(409);
    send("PATCH");
    network.fail_with(ErrorCode::unavailable);
    EXPECT_THAT(
        exposition(),
        AllOf(HasSubstr(count_of("200", "GET", 2)), HasSubstr(count_of("404", "GET", 1)),
              HasSubstr(count_of("409", "PATCH", 1)), HasSubstr(count_of("<error>", "PATCH", 1)),
              Not(HasSubstr("code=\"200\",host=\"api.test:6443\",method=\"PATCH\""))));
}

TEST_F(RequestMetrics, CountEachAttempt) {
    send("POST");
    network.answer(429, "", {{"retry-after", "2"}});
    EXPECT_THAT(exposition(), HasSubstr(count_of("429", "POST", 1)));
    loop.advance(2s);
    network.answer(201);
    EXPECT_THAT(exposition(),
                AllOf(HasSubstr(count_of("429", "POST", 1)), HasSubstr(count_of("201", "POST", 1)),
                      HasSubstr(line_of("request", "POST", "count", "2")),
                      HasSubstr(line_of("request", "POST", "sum", "0"))))
        << "the pause between the two requests is not counted";
}

TEST_F(RequestMetrics, MeasureTheLatencyOfEveryResponse) {
    for (const auto& [latency, status] : {std::pair(20ms, 200), std::pair(700ms, 500)}) {
        send("GET");
        loop.advance(latency);
        network.answer(status);
    }
    EXPECT_THAT(exposition(), AllOf(HasSubstr(line_of("request", "GET", "sum", "0.72")),
                                    HasSubstr(line_of("request", "GET", "0.025", "1")),
                                    HasSubstr(line_of("request", "GET", "0.5", "1")),
                                    HasSubstr(line_of("request", "GET", "1", "2")),
                                    HasSubstr(line_of("request", "GET", "count", "2"))));
}

TEST_F(RequestMetrics, MeasureTheWaitForTheRateLimit) {
    limit_to(2, 1);
    for (int i = 0; i < 3; ++i) send("GET");
    send("PUT", "lease");
    loop.advance(1s);
    for (int i = 0; i < 4; ++i) network.answer(200);
    EXPECT_THAT(exposition(), AllOf(HasSubstr(line_of("rate_limiter", "GET", "sum", "1.5")),
                                    HasSubstr(line_of("rate_limiter", "GET", "0.25", "1")),
                                    HasSubstr(line_of("rate_limiter", "GET", "0.5", "2")),
                                    HasSubstr(line_of("rate_limiter", "GET", "1", "3")),
                                    HasSubstr(line_of("rate_limiter", "GET", "count", "3")),
                                    HasSubstr(line_of("rate_limiter", "PUT", "sum", "0")),
                                    HasSubstr(line_of("rate_limiter", "PUT", "count", "1"))))
        << "0, 0.5 and 1 seconds; requests for the Lease are not limited";
}

TEST(DaemonRequestMetrics, CoverTheFirstRequests) {
    LiveCluster cluster;
    cluster.run(15s);
    const std::string series = "{code=\"200\",host=\"api.local\",method=";
    EXPECT_THAT(cluster.metrics(),
                AllOf(HasSubstr("rest_client_requests_total" + series + "\"GET\"} "),
                      HasSubstr("rest_client_requests_total" + series + "\"PUT\"} "),
                      HasSubstr("rest_client_rate_limiter_duration_seconds_count{"
                                "host=\"api.local\",verb=\"GET\"} ")));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
