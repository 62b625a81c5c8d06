#include "plugin_runtime/services/plugin_http.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../test_host.hpp"
#include "../tls_folder.hpp"
#include "plugin_runtime/services/host_context.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// The requests of an instance and their results. Tests answer in place of servers.
struct PluginHttpTest : testing::Test {
    struct Sent {
        capstan_status status = -1;
        HttpReply reply{};
        std::string error{};
        int times = 0;
    };
    TestHost host;
    std::shared_ptr<HostContext> context = make(host);
    std::deque<Sent> sent;

    static std::shared_ptr<HostContext> make(TestHost& host, config::PluginTls tls = {}) {
        InstanceIdentity instance = identity("probe");
        instance.class_id = "acme.cloud";
        instance.version = "0.3.1 beta";
        instance.grants.http = {"api.test", "*.cloud.test"};
        instance.tls = std::move(tls);
        return HostContext::make(host.environment(), instance);
    }
    ~PluginHttpTest() override { stop(); }
    void stop() {
        context->close();
        context->cancel_open(0);
        host.loop.settle();
    }
    static HttpHeaders headers_of(capstan_array from) {
        HttpHeaders out;
        for (const capstan_kv& each : View<capstan_kv>(from))
            out.emplace_back(text(each.key), text(each.value));
        return out;
    }
    static void note(void* user, capstan_status status, const capstan_http_reply* reply,
                     const capstan_error* error) noexcept {
        auto& call = *static_cast<Sent*>(user);
        ++call.times;
        call.status = status;
        EXPECT_EQ(reply == nullptr, error != nullptr);
        if (reply != nullptr)
            call.reply = {reply->status, headers_of(reply->headers), std::string(text(reply->body)),
                          headers_of(reply->trailers)};
        if (error != nullptr) call.error = text(error->message);
    }
    capstan_status send(const HttpRequest& request, capstan_op parent = 0,
                        std::int32_t timeout_ms = 0) {
        std::vector<capstan_kv> headers;
        for (const auto& [name, value] : request.headers)
            headers.push_back({str(name), str(value)});
        const capstan_http_request raw{sizeof raw,
                                       timeout_ms,
                                       str(request.method),
                                       str(request.url),
                                       array_of(headers),
                                       str(request.body),
                                       0,
                                       request.flags,
                                       parent};
        return send_raw(&raw, &note);
    }
    capstan_status send(const char* url, capstan_op parent = 0, std::int32_t timeout_ms = 0) {
        return send(HttpRequest("GET", url), parent, timeout_ms);
    }
    capstan_status send_raw(const capstan_http_request* raw, capstan_http_done done) {
        sent.emplace_back();
        const capstan_host* const host_abi = context->host();
        const auto* const table =
            static_cast<const capstan_http*>(host_abi->service(host_abi, CAPSTAN_SERVICE_HTTP));
        return table->send(host_abi, raw, done, &sent.back());
    }
    /// The error of a request that `send` accepts and that fails later.
    Error error_of(const HttpRequest& request, capstan_op parent = 0) {
        EXPECT_EQ(send(request, parent), CAPSTAN_OK);
        EXPECT_EQ(sent.back().times, 0) << "called inside send";
        host.loop.settle();
        EXPECT_EQ(sent.back().times, 1);
        return {error_code(sent.back().status), sent.back().error};
    }
    capstan_op open(Duration deadline) {
        return context->operations()
            .open({.what = "refresh",
                   .deadline = host.loop.monotonic() + deadline,
                   .from_abi = {},
                   .done = [](auto&&) {}})
            .value();
    }
    void answer(io::HttpClient::RequestId id, int status = 200) {
        host.http->answer(id, HttpReply{.status = status, .headers = {}, .body = {}});
        host.loop.settle();
    }
    std::size_t ended() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(sent, [](const Sent& each) { return each.times == 1; }));
    }
};

TEST_F(PluginHttpTest, SendsRequestsToGrantedHosts) {
    EXPECT_EQ(send(HttpRequest("PUT", "https://eu.cloud.test:8443/v1")
                       .with_body("ask")
                       .http2()
                       .path_as_is()),
              CAPSTAN_OK);
    const HttpRequest& request = host.http->sent.at(1).request;
    EXPECT_EQ(request.method, "PUT");
    EXPECT_EQ(request.url, "https://eu.cloud.test:8443/v1");
    EXPECT_EQ(request.body, "ask");
    EXPECT_EQ(request.flags, CAPSTAN_HTTP_2 | CAPSTAN_HTTP_PATH_AS_IS);
    EXPECT_EQ(request.timeout, 30s);
    EXPECT_EQ(request.max_reply_bytes, 16u << 20);
    host.http->answer(1, HttpReply{404, {{"a", "b"}}, "gone", {{"grpc-status", "5"}}});
    EXPECT_EQ(sent[0].times, 0);
    host.loop.settle();
    EXPECT_EQ(sent[0].status, CAPSTAN_OK);
    EXPECT_EQ(sent[0].reply.status, 404);
    EXPECT_EQ(sent[0].reply.body, "gone");
    EXPECT_THAT(sent[0].reply.headers, ElementsAre(Pair("a", "b")));
    EXPECT_THAT(sent[0].reply.trailers, ElementsAre(Pair("grpc-status", "5")));
    EXPECT_EQ(sent[0].times, 1);
}

TEST_F(PluginHttpTest, SendsPluginAndVersionAsUserAgent) {
    EXPECT_EQ(host.user_agent, "capstan/test acme.cloud/0.3.1-beta");
}

TEST_F(PluginHttpTest, UsesRenewedCertificates) {
    const TlsFolder folder;
    stop();
    context = make(host, folder.files());
    send("https://api.test/");
    send("https://api.test/");
    ASSERT_EQ(host.http->tls.size(), 1u);
    EXPECT_EQ(host.http->tls[0].ca_pem, folder.authority.pem());
    const io::TestIdentity renewed = folder.authority.issue("renewed");
    folder.renew(renewed);
    host.loop.advance(10s);
    send("https://api.test/");
    ASSERT_EQ(host.http->tls.size(), 2u);
    EXPECT_EQ(host.http->tls[1].certificate_pem, renewed.certificate_pem());
    folder.remove("tls.key");
    host.loop.advance(10s);
    EXPECT_EQ(send("https://api.test/"), CAPSTAN_OK);
    EXPECT_EQ(host.http->sent.size(), 4u) << "with the last matching pair";
    EXPECT_THAT(host.lines->text(), HasSubstr("warn  probe: tls.key_file: there is no file "));
}

TEST_F(PluginHttpTest, SendsNothingIfAConfiguredCertificateIsMissing) {
    const TlsFolder folder;
    folder.remove("tls.crt");
    stop();
    context = make(host, folder.files());
    const Error error = error_of(HttpRequest("GET", "https://api.test/a?token=secret"));
    EXPECT_EQ(error.code, ErrorCode::invalid_config);
    EXPECT_THAT(error.message,
                HasSubstr("HTTP GET https://api.test/a: plugin.probe.tls.cert_file: there is no"));
    EXPECT_TRUE(host.http->sent.empty());
}

TEST_F(PluginHttpTest, NamesTheMissingGrant) {
    const Error error = error_of(HttpRequest("GET", "http://evil.test/v1?signature=secret"));
    EXPECT_EQ(error.code, ErrorCode::permission);
    EXPECT_EQ(error.message,
              "HTTP GET http://evil.test/v1: \"evil.test\" not granted: add it to "
              "plugin.probe.grants.http, as in grants = { http = [\"evil.test\"] }");
    for (const char* const url :
         {"http://api.test.evil.test/", "http://cloud.test/", "http://evilcloud.test/"}) {
        EXPECT_EQ(error_of(HttpRequest("GET", url)).code, ErrorCode::permission) << url;
    }
    EXPECT_TRUE(host.http->sent.empty());
}

TEST_F(PluginHttpTest, RefusesInvalidRequests) {
    HttpRequest many("GET", "http://api.test/"), unknown("GET", "http://api.test/");
    for (int i = 0; i < 129; ++i) many.header("x-a", "b");
    unknown.flags = 64;
    const std::string long_path(17 << 10, 'x');
    const std::pair<HttpRequest, const char*> cases[] = {
        {HttpRequest("GET", ""), "HTTP GET : URL: does not begin with http:// or https://"},
        {HttpRequest("GET", "api.test"), "does not begin with http://"},
        {HttpRequest("GET", "ftp://api.test/"), "HTTP GET ftp://api.test/: URL: "},
        {HttpRequest("GET", "http://user:pw@api.test/"),
         "contains a user name; use a header instead"},
        {HttpRequest("GET", "http://api.test/\r\nx: y"),
         "URL: contains a space or a control character"},
        {HttpRequest("GET", "http://api.test/" + long_path), "the URL is longer than 16 KiB"},
        {HttpRequest("GET /", "http://api.test/"), "the method is not a valid HTTP method"},
        {HttpRequest(std::string(257, 'G'), "http://api.test/"),
         "the method is not a valid HTTP method"},
        {many, "more than 128 headers"},
        {HttpRequest("GET", "http://api.test/").header("x-a", "b\r\nx-evil: yes"),
         "header x-a has a control character"},
        {HttpRequest("GET", "http://api.test/").header("x a", "b"), "a header name is not a token"},
        {HttpRequest("GET", "http://api.test/").with_body(std::string((16 << 20) + 1, 'x')),
         "the body is larger than 16 MiB"},
        {unknown, "unknown flags 64"},
        {HttpRequest("GET", "http://api.test/").http2(), "CAPSTAN_HTTP_2 requires https"},
        {HttpRequest("GET", "https://api.test/").http2_prior_knowledge(),
         "CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE requires http"},
    };
    for (const auto& [request, sentence] : cases) {
        const Error error = error_of(request);
        EXPECT_EQ(error.code, ErrorCode::invalid_argument) << sentence;
        EXPECT_THAT(error.message, HasSubstr(sentence));
        EXPECT_THAT(error.message, HasSubstr("HTTP ")) << "names the request";
        EXPECT_LT(error.message.size(), 1000u);
    }
    EXPECT_TRUE(host.http->sent.empty());
}

TEST_F(PluginHttpTest, RefusesAMissingOrTruncatedRequestAndAMissingCallback) {
    const capstan_http_request whole{
        sizeof whole, 0, str("GET"), str("http://api.test/"), {}, {}, 0, 0, 0};
    capstan_http_request cut = whole;
    cut.struct_size = offsetof(capstan_http_request, parent);
    EXPECT_EQ(send_raw(nullptr, &note), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(send_raw(&whole, nullptr), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(send_raw(&cut, &note), CAPSTAN_E_INVALID_ARGUMENT);
    host.loop.settle();
    EXPECT_EQ(ended(), 0u);
}

TEST_F(PluginHttpTest, SendsNothingInSimulatedTime) {
    HostEnvironment environment = host.environment();
    environment.http = nullptr;
    InstanceIdentity instance = identity("probe");
    instance.grants.http = {"api.test"};
    stop();
    context = HostContext::make(environment, instance);
    const Error error = error_of(HttpRequest("GET", "http://api.test/"));
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message, HasSubstr("no HTTP requests are sent in simulated time"));
}

TEST_F(PluginHttpTest, LimitsTheTimeoutToThatOfTheOperation) {
    const capstan_op op = open(5s);
    host.loop.advance(2s);
    send("http://api.test/", op, 10'000);
    EXPECT_EQ(host.http->sent.at(1).request.timeout, 3s);
    host.loop.advance(3s);
    EXPECT_EQ(sent[0].status, CAPSTAN_E_CANCELLED) << "with its operation";
    EXPECT_EQ(sent[0].error, "HTTP GET http://api.test/: its operation has ended");
    const Error late = error_of(HttpRequest("GET", "http://api.test/"), op);
    EXPECT_EQ(late.code, ErrorCode::cancelled);
    EXPECT_EQ(late.message, "HTTP GET http://api.test/: its operation has ended");
    context->operations().close_all(0, {ErrorCode::cancelled, "end"});
}

TEST_F(PluginHttpTest, EndsRequestsWhenTheInstanceStops) {
    for (int i = 0; i < 65; ++i) send("http://api.test/a?token=secret");
    stop();
    EXPECT_EQ(ended(), 65u);
    for (const Sent& each : sent) {
        EXPECT_EQ(each.status, CAPSTAN_E_CANCELLED);
        EXPECT_EQ(each.error, "HTTP GET http://api.test/a: the plugin is stopping");
    }
    EXPECT_EQ(send("http://api.test/"), CAPSTAN_E_CANCELLED);
    host.loop.settle();
    EXPECT_EQ(sent.back().times, 0);
}

TEST_F(PluginHttpTest, QueuesRequestsBeyond64InOrder) {
    for (int i = 0; i < 66; ++i) send(("http://api.test/" + std::to_string(i)).c_str());
    EXPECT_EQ(host.http->sent.size(), 64u);
    answer(10);
    EXPECT_EQ(host.http->sent.at(65).request.url, "http://api.test/64");
    answer(1);
    EXPECT_EQ(host.http->sent.at(66).request.url, "http://api.test/65");
    EXPECT_EQ(ended(), 2u);
}

TEST_F(PluginHttpTest, LimitsQueuedBodiesTo64Mebibytes) {
    HttpRequest large("PUT", "http://api.test/");
    large.with_body(std::string(std::size_t{16} << 20, 'x'));
    for (int i = 0; i < 64; ++i) ASSERT_EQ(send("http://api.test/"), CAPSTAN_OK);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(send(large), CAPSTAN_OK);
    const Error error = error_of(large);
    EXPECT_EQ(error.code, ErrorCode::busy);
    EXPECT_THAT(error.message,
                HasSubstr("would have 83886080 bytes; at most 67108864 are allowed"));
    EXPECT_EQ(send("http://api.test/"), CAPSTAN_OK) << "it has no body";
}

TEST_F(PluginHttpTest, LimitsQueuedRequestsTo1024) {
    for (int i = 0; i < 64 + 1024; ++i) ASSERT_EQ(send("http://api.test/"), CAPSTAN_OK);
    const Error error = error_of(HttpRequest("GET", "http://api.test/"));
    EXPECT_EQ(error.code, ErrorCode::busy);
    EXPECT_EQ(error.message,
              "HTTP GET http://api.test/: 1024 requests of the plugin are already waiting");
    answer(1);
    EXPECT_EQ(send("http://api.test/"), CAPSTAN_OK);
    for (io::HttpClient::RequestId id = 2; id <= 64 + 1024 + 1; ++id) answer(id);
    EXPECT_EQ(ended(), sent.size()) << "each once";
}

TEST_F(PluginHttpTest, LeavesTimersAvailableWhileRequestsWait) {
    for (int i = 0; i < 64 + 1024; ++i) send("http://api.test/");
    const capstan_host* const host_abi = context->host();
    const auto* const exec =
        static_cast<const capstan_exec*>(host_abi->service(host_abi, CAPSTAN_SERVICE_EXEC));
    EXPECT_EQ(exec->post(host_abi, [](void*, capstan_status) noexcept {}, nullptr), CAPSTAN_OK);
}

TEST_F(PluginHttpTest, LimitsPendingRefusals) {
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(send("http://evil.test/"), CAPSTAN_OK);
    EXPECT_EQ(send("http://evil.test/"), CAPSTAN_E_BUSY);
    EXPECT_EQ(send("http://api.test/"), CAPSTAN_OK) << "granted requests are sent";
    host.loop.settle();
    EXPECT_EQ(ended(), 1024u);
    EXPECT_EQ(send("http://evil.test/"), CAPSTAN_OK);
}

TEST_F(PluginHttpTest, CountsTheTimeoutFromTheCallOfSend) {
    for (int i = 0; i < 64; ++i) send("http://api.test/");
    send("http://api.test/sent", 0, 10'000);
    send("http://api.test/late?token=secret", 0, 5'000);
    host.loop.advance(4s);
    EXPECT_EQ(sent[65].times, 0);
    host.loop.advance(1s);
    EXPECT_EQ(sent[65].status, CAPSTAN_E_DEADLINE);
    EXPECT_THAT(sent[65].error,
                HasSubstr("HTTP GET http://api.test/late: timed out waiting for the "));
    answer(1);
    EXPECT_EQ(host.http->sent.at(65).request.url, "http://api.test/sent");
    EXPECT_EQ(host.http->sent.at(65).request.timeout, 5s) << "the rest of ten seconds";
    host.loop.advance(1min);
    EXPECT_EQ(sent[64].times, 0) << "its timeout is handled by the client";
}

TEST_F(PluginHttpTest, RemovesQueuedRequestsOfACancelledOperation) {
    const capstan_op op = open(5s);
    for (int i = 0; i < 64; ++i) send("http://api.test/");
    send("http://api.test/mine", op);
    send("http://api.test/other");
    context->operations().cancel(op);
    host.loop.settle();
    EXPECT_EQ(sent[64].status, CAPSTAN_E_CANCELLED);
    EXPECT_EQ(sent[64].error, "HTTP GET http://api.test/mine: its operation has ended");
    EXPECT_EQ(sent[65].times, 0);
    answer(1);
    EXPECT_EQ(host.http->sent.at(65).request.url, "http://api.test/other");
    context->operations().close_all(0, {ErrorCode::cancelled, "end"});
}

TEST_F(PluginHttpTest, MeasuresRequestsByGrantAndStatus) {
    send("http://eu.cloud.test/a?token=secret");
    send("http://us.cloud.test/b");
    send("http://api.test/");
    host.loop.advance(2s);
    answer(1), answer(2, 429);
    host.http->answer(3, fail(ErrorCode::unavailable, "no connection"));
    host.loop.settle();
    std::ignore = error_of(HttpRequest("GET", "http://evil.test/"));
    const std::string text = host.metrics->text();
    const std::string name = "capstan_plugin_http_request_duration_seconds_";
    EXPECT_THAT(text,
                HasSubstr(name + "count{host=\"*.cloud.test\",plugin=\"probe\",status=\"200\"} 1"));
    EXPECT_THAT(text,
                HasSubstr(name + "sum{host=\"*.cloud.test\",plugin=\"probe\",status=\"429\"} 2"));
    EXPECT_THAT(text,
                HasSubstr(name + "count{host=\"api.test\",plugin=\"probe\",status=\"error\"} 1"));
    EXPECT_THAT(text, Not(HasSubstr("evil"))) << "requests that were not sent are not measured";
}

TEST_F(PluginHttpTest, LimitsTheNumberOfSeries) {
    for (int status = 200; status < 400; ++status) {
        send("http://api.test/");
        answer(static_cast<io::HttpClient::RequestId>(status - 199), status);
    }
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("_count{host=\"api.test\",plugin=\"probe\",status=\"other\"} 100"));
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
