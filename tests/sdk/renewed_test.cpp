#include <capstan/renewed.hpp>

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include <capstan/gather.hpp>
#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;

struct Token {
    std::string text{};
    std::optional<Time> expires{};
};

/// A source of tokens "1", "2", ..., which are valid for `life`.
struct TokenSource {
    FakeHost host{};
    Renewed<Token> token{host.host(), "tokens", [this] { return find(); }};
    int returned = 0, requests = 0;
    std::optional<Duration> life = 1h;
    Duration latency = 100ms;
    std::optional<Error> error{};

    Task<Token> find() {
        ++requests;
        co_await sleep_for(host.host(), latency);
        if (error) co_return fail(*error);
        Token out{std::to_string(++returned), {}};
        if (life) out.expires = host.now() + *life;
        co_return out;
    }
    std::string get() {
        const auto got = run(host, token.get());
        return got ? got->text : "an error: " + got.error().message;
    }
    static auto refusing(std::string text) {
        return [text = std::move(text)](const Token& one) { return one.text == text; };
    }
    std::string renew(std::string refused) {
        const auto got = run(host, token.renew(refusing(std::move(refused))));
        return got ? got->text : "an error: " + got.error().message;
    }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        for (const auto& line : host.log_lines())
            if (line.level == CAPSTAN_LOG_WARN) out.push_back(line.message);
        return out;
    }
};

const Error refused{ErrorCode::unauthenticated, "the source says no"};

TEST(Renewed, KeepsItsValueUntilItsRenewalTime) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(42min);
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.requests, 1);
}

TEST(Renewed, RenewsInTheBackgroundFirst) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(46min);
    s.latency = 5s;
    const Duration before = s.host.monotonic();
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.host.monotonic(), before);
    s.host.advance(6s);
    EXPECT_EQ(s.get(), "2");
    EXPECT_EQ(s.requests, 2);
}

TEST(Renewed, LetsCallsWaitNearTheEnd) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(51min);
    EXPECT_EQ(s.get(), "2");
}

TEST(Renewed, KeepsAValueWithoutAnEnd) {
    TokenSource s;
    s.life.reset();
    EXPECT_EQ(s.get(), "1");
    s.host.advance(24h * 400);
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.requests, 1);
}

TEST(Renewed, ReturnsANewValueOnceEvenIfItHasExpired) {
    TokenSource s;
    s.life = -1s;
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.get(), "2");
}

TEST(Renewed, DoesNotRenewAShortLivedValueAllTheTime) {
    TokenSource s;
    s.life = 15min;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(10min);
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.requests, 1);
    s.host.advance(3min);
    EXPECT_EQ(s.get(), "2");
}

TEST(Renewed, LetsCallsWaitOnlyNearTheEndOfAShortLife) {
    TokenSource s;
    s.life = 15min;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(12min);
    s.latency = 5s;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(6s);
    EXPECT_EQ(s.get(), "2");
}

TEST(Renewed, KeepsAValidValueIfARenewalFails) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.error = refused;
    s.host.advance(55min);
    EXPECT_EQ(s.get(), "1");
    EXPECT_THAT(
        s.warnings(),
        ElementsAre("tokens: renewal failed, the current ones stay in use: the source says no"));
    const int requests = s.requests;
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.requests, requests) << "it pauses after a failure";
    s.error.reset();
    s.host.advance(31s);
    EXPECT_EQ(s.get(), "2");
}

TEST(Renewed, WarnsIfABackgroundRenewalFails) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.error = refused;
    s.host.advance(46min);
    EXPECT_EQ(s.get(), "1");
    s.host.advance(1s);
    EXPECT_THAT(s.warnings(),
                ElementsAre(HasSubstr("the current ones stay in use: the source says no")));
}

TEST(Renewed, DoesNotUseAnExpiredValueIfARenewalFails) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.error = refused;
    s.host.advance(61min);
    EXPECT_EQ(s.get(), "an error: the source says no");
    const int requests = s.requests;
    EXPECT_EQ(s.get(), "an error: the source says no");
    EXPECT_EQ(s.requests, requests);
    EXPECT_THAT(s.warnings(), IsEmpty()) << "no expired value is used";
}

TEST(Renewed, SharesOneRenewalAmongCallers) {
    TokenSource s;
    std::vector<Task<Token>> calls;
    for (int i = 0; i < 50; ++i) calls.push_back(s.token.get());
    const auto all = run(s.host, gather(std::move(calls), 50));
    ASSERT_TRUE(all) << all.error();
    EXPECT_THAT(*all, Each(Field(&Token::text, "1")));
    EXPECT_EQ(s.requests, 1);
}

TEST(Renewed, RenewsOnceForManyRefusals) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    std::vector<Task<Token>> calls;
    for (int i = 0; i < 50; ++i) calls.push_back(s.token.renew(TokenSource::refusing("1")));
    const auto all = run(s.host, gather(std::move(calls), 50));
    ASSERT_TRUE(all) << all.error();
    EXPECT_THAT(*all, Each(Field(&Token::text, "2")));
    EXPECT_EQ(s.renew("1"), "2");
    s.host.advance(31s);
    EXPECT_EQ(s.renew("1"), "2");
    EXPECT_EQ(s.requests, 2) << "a late refusal of the old token";
}

TEST(Renewed, PausesAfterARefusal) {
    TokenSource s;
    s.life.reset();
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.renew("1"), "2");
    EXPECT_EQ(s.renew("2"), "2");
    s.host.advance(31s);
    EXPECT_EQ(s.renew("2"), "3");
}

TEST(Renewed, ContinuesARenewalIfItsCallerGivesUp) {
    TokenSource s;
    s.latency = 5s;
    EXPECT_EQ(run(s.host, s.token.get(), 1s).error().code, ErrorCode::deadline);
    s.host.advance(5s);
    EXPECT_EQ(s.get(), "1");
    EXPECT_EQ(s.requests, 1);
}

TEST(Renewed, EndsWithTheInstanceWithoutAWarning) {
    TokenSource s;
    EXPECT_EQ(s.get(), "1");
    s.host.advance(46min);
    s.latency = 5s;
    EXPECT_EQ(s.get(), "1");
    EXPECT_TRUE(s.host.stop());
    EXPECT_EQ(s.host.misuse(), testing::Misuse{});
    EXPECT_THAT(s.warnings(), IsEmpty());
}

}  // namespace
}  // namespace capstan
