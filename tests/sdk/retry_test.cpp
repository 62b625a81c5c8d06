#include <capstan/retry.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Duration;
using capstan::Error;
using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Repeatable;
using capstan::Result;
using capstan::RetryingClient;
using capstan::RetryPolicy;
using capstan::testing::FakeHost;
using capstan::testing::reply;
using capstan::testing::run;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto api = "https://api.example/groups";
const Error broken{ErrorCode::unavailable, "the connection broke"};

struct ClientOnFakeHost {
    FakeHost host;
    RetryingClient client{host.host()};

    Result<HttpReply> get(Duration allowed = 10min) {
        return run(host, client.send(HttpRequest("GET", api)), allowed);
    }
    Result<HttpReply> post(Repeatable repeatable = Repeatable::by_method) {
        return run(host, client.send(HttpRequest("POST", api), repeatable));
    }
    std::size_t attempts() { return host.http().requests().size(); }
};

TEST(Retry, RepeatsUntilAReplyIsFinal) {
    ClientOnFakeHost r;
    r.host.http().on("GET", api, reply(503)).on("GET", api, broken).on("GET", api, reply(200, "a"));
    const Result<HttpReply> got = r.get();
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->body, "a");
    EXPECT_EQ(r.attempts(), 3u);
}

TEST(Retry, ReturnsAFinalReply) {
    for (const int status : {200, 204, 301, 400, 404, 409, 501}) {
        ClientOnFakeHost r;
        r.host.http().on("GET", api, reply(status, "x"));
        const Result<HttpReply> got = r.get();
        ASSERT_TRUE(got) << got.error();
        EXPECT_EQ(got->status, status);
        EXPECT_EQ(r.attempts(), 1u);
    }
}

TEST(Retry, EndsAfterItsAttemptsWithTheLastError) {
    ClientOnFakeHost r;
    r.host.http()
        .on("GET", api, broken)
        .on("GET", api, reply(500))
        .on("GET", api, reply(503, "no"));
    const Result<HttpReply> got = r.get();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error(),
              (Error{ErrorCode::unavailable,
                     "GET https://api.example/groups: status 503 \"no\" (after 3 attempts; "
                     "attempt limit reached)"}));
}

TEST(Retry, DoesNotRepeatPermanentErrors) {
    for (const ErrorCode code :
         {ErrorCode::permission, ErrorCode::invalid_argument, ErrorCode::quota}) {
        ClientOnFakeHost r;
        r.host.http().on("GET", api, Error{code, "no"});
        EXPECT_EQ(r.get(), capstan::fail(code, "no"));
        EXPECT_EQ(r.attempts(), 1u);
    }
}

TEST(Retry, RepeatsAPossiblyAppliedRequestOnlyIfRepeatable) {
    const struct {
        Result<HttpReply> first;
        Repeatable repeatable;
        std::size_t attempts;
    } cases[] = {
        {capstan::fail(broken), Repeatable::by_method, 1},
        {reply(503), Repeatable::by_method, 1},
        {reply(429), Repeatable::by_method, 2},
        {capstan::fail(ErrorCode::busy, "full"), Repeatable::by_method, 2},
        {capstan::fail(broken), Repeatable::yes, 2},
        {reply(503), Repeatable::yes, 2},
    };
    for (const auto& c : cases) {
        ClientOnFakeHost r;
        if (c.first) {
            r.host.http().on("POST", api, *c.first);
        } else {
            r.host.http().on("POST", api, c.first.error());
        }
        r.host.http().on("POST", api, reply(200));
        const Result<HttpReply> got = r.post(c.repeatable);
        EXPECT_EQ(r.attempts(), c.attempts);
        if (c.attempts == 2) {
            EXPECT_TRUE(got);
        } else {
            EXPECT_THAT(got.error().message, HasSubstr("it may have taken effect"));
        }
    }
    for (const char* const method : {"PUT", "DELETE", "HEAD", "PATCH"}) {
        ClientOnFakeHost r;
        r.host.http().on(method, api, broken).on(method, api, reply(200));
        const bool is_repeated = std::string_view(method) != "PATCH";
        EXPECT_EQ(run(r.host, r.client.send(HttpRequest(method, api))).has_value(), is_repeated);
    }
    ClientOnFakeHost r;
    r.host.http().on("GET", api, broken);
    EXPECT_FALSE(run(r.host, r.client.send(HttpRequest("GET", api), Repeatable::no)));
    EXPECT_EQ(r.attempts(), 1u);
}

TEST(Retry, DoesNotRepeatWithAnUntrustedCertificate) {
    ClientOnFakeHost r;
    const Error distrusted{ErrorCode::unavailable, "GET a: self-signed", "untrusted_certificate"};
    r.host.http().on("GET", api, distrusted).on("GET", api, reply(200));
    EXPECT_EQ(r.get().error(), distrusted);
    EXPECT_EQ(r.attempts(), 1u);
}

TEST(Retry, WaitsARandomTimeThatGrowsUpToALimit) {
    Duration longest_first{}, longest_last{};
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        FakeHost host({.seed = seed});
        RetryPolicy policy;
        policy.attempts = 2;
        RetryPolicy many = policy;
        many.attempts = 10;
        host.http().always("GET", api, reply(503));
        Duration before = host.monotonic();
        EXPECT_FALSE(run(host, capstan::send_with_retry(host.host(), {"GET", api}, policy), 1h));
        const Duration first = host.monotonic() - before;
        before = host.monotonic();
        EXPECT_FALSE(run(host, capstan::send_with_retry(host.host(), {"GET", api}, many), 1h));
        longest_first = std::max(longest_first, first);
        longest_last = std::max(longest_last, host.monotonic() - before);
    }
    EXPECT_GT(longest_first, 500ms);
    EXPECT_LE(longest_first, 1s);
    EXPECT_GT(longest_last, 40s);
    EXPECT_LE(longest_last, 1s + 2s + 4s + 8s + 16s + 4 * 20s);
}

TEST(Retry, WaitsAtLeastRetryAfter) {
    ClientOnFakeHost r;
    r.host.http().on("GET", api, reply(429, "", {{"retry-after", "7"}})).on("GET", api, reply(200));
    const Duration before = r.host.monotonic();
    ASSERT_TRUE(r.get());
    EXPECT_EQ(r.host.monotonic() - before, 7s);
}

TEST(Retry, LeavesALongWaitToTheHost) {
    ClientOnFakeHost r;
    r.host.http().on("GET", api, reply(429, "", {{"retry-after", "120"}}));
    const Duration before = r.host.monotonic();
    const Result<HttpReply> got = r.get();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::throttled);
    EXPECT_EQ(got.error().retry_after, 120s);
    EXPECT_THAT(got.error().message,
                HasSubstr("(after 1 attempt; the requested wait is too long)"));
    EXPECT_EQ(r.host.monotonic(), before);
}

TEST(Retry, NeverWaitsPastTheDeadline) {
    ClientOnFakeHost r;
    r.host.http().on("GET", api, reply(503, "", {{"retry-after", "15"}}));
    const Duration before = r.host.monotonic();
    const Result<HttpReply> got = r.get(10s);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::unavailable);
    EXPECT_THAT(got.error().message, HasSubstr("no time left for another attempt"));
    EXPECT_EQ(r.host.monotonic(), before);
}

TEST(Retry, StopsRepeatingIfTooManyRequestsFail) {
    FakeHost host;
    RetryPolicy policy;
    policy.budget = 12;
    RetryingClient client(host.host(), policy);
    host.http().always("GET", api, reply(503));
    const auto ask = [&] { return run(host, client.send(HttpRequest("GET", api))); };
    EXPECT_THAT(ask().error().message, HasSubstr("(after 3 attempts; attempt limit reached)"));
    EXPECT_EQ(client.budget(), 2);
    EXPECT_THAT(ask().error().message, HasSubstr("(after 1 attempt; retry budget used up)"));
}

TEST(Retry, RefillsItsBudgetAfterSuccesses) {
    FakeHost host;
    RetryPolicy policy;
    policy.budget = 10;
    RetryingClient client(host.host(), policy);
    const auto ask = [&] { return run(host, client.send(HttpRequest("GET", api))).has_value(); };
    host.http().on("GET", api, Error{ErrorCode::deadline, "late"}).on("GET", api, reply(200));
    EXPECT_TRUE(ask());
    EXPECT_EQ(client.budget(), 10);
    host.http().on("GET", api, broken).on("GET", api, reply(404));
    EXPECT_TRUE(ask());
    EXPECT_EQ(client.budget(), 10);
}

TEST(Retry, BuildsANewRequestForEachAttempt) {
    ClientOnFakeHost r;
    r.host.http().on("GET", api, reply(500)).on("GET", api, reply(200));
    int made = 0;
    const auto make = [&made] {
        return HttpRequest("GET", api).header("x-attempt", std::to_string(++made));
    };
    EXPECT_TRUE(run(r.host, r.client.fetch(make)));
    EXPECT_EQ(r.host.http().requests().back().headers, (capstan::HttpHeaders{{"x-attempt", "2"}}));
}

TEST(Retry, RecognizesThrottlingByProviderCode) {
    FakeHost host;
    RetryPolicy policy;
    policy.also = [](const HttpReply& r) { return r.body == "Throttling"; };
    RetryingClient client(host.host(), policy);
    host.http().on("GET", api, reply(400, "Throttling")).on("GET", api, reply(400, "Malformed"));
    const Result<HttpReply> got = run(host, client.send(HttpRequest("GET", api)));
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->body, "Malformed");
}

TEST(Retry, FetchReturnsAFailedStatusAsAnError) {
    ClientOnFakeHost r;
    r.host.http().always("GET", api, reply(404, "gone"));
    EXPECT_EQ(
        run(r.host, r.client.fetch(HttpRequest("GET", api))),
        capstan::fail(ErrorCode::not_found, "GET https://api.example/groups: status 404 \"gone\""));
    r.client.set_errors([](const HttpRequest&, const HttpReply& got) {
        return Error{ErrorCode::out_of_capacity, "acme: " + got.body, "Gone"};
    });
    EXPECT_EQ(run(r.host, r.client.fetch(HttpRequest("GET", api))),
              capstan::fail(Error{ErrorCode::out_of_capacity, "acme: gone", "Gone"}));
}

TEST(Retry, EndsWithTheInstance) {
    ClientOnFakeHost r;
    r.host.http().always("GET", api, reply(503, "", {{"retry-after", "5"}}));
    const auto operation = r.host.call<void>([&](capstan_op op) {
        const auto ask = [&r]() -> capstan::Task<void> {
            co_await r.client.send(HttpRequest("GET", api));
        };
        return capstan::detail::run_operation<void>(r.host.host(), op, ask);
    });
    r.host.advance(1s);
    ASSERT_TRUE(r.host.stop());
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
}

}  // namespace
