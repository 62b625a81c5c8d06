#include <capstan/last_known.hpp>

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::FakeHost;
using testing::run;

/// Reads from `values`; a key that is not there is not found.
struct ValueSource {
    FakeHost host{};
    LastKnown<std::string, int> known{host.host(), CacheLife{.fresh = 10min, .jitter = 0}, 1min};
    std::map<std::string, int> values{};
    std::optional<Error> error{};
    int reads = 0;

    Task<int> read(std::string key) {
        ++reads;
        co_await sleep_for(host.host(), 1s);
        if (error) co_return fail(*error);
        const auto at = values.find(key);
        if (at == values.end()) co_return fail(ErrorCode::not_found, key + " is not there");
        co_return at->second;
    }
    void update(const std::string& key) {
        EXPECT_TRUE(
            run(host, known.update(key, [this](std::string of) { return read(std::move(of)); })));
    }
    std::optional<int> find(const std::string& key) const {
        const int* const value = known.find(key);
        return value != nullptr ? std::optional(*value) : std::nullopt;
    }
};

const Error unavailable{ErrorCode::unavailable, "the cloud is away"};

TEST(LastKnown, ReadsAValueAgainAfterItsLifetime) {
    ValueSource s;
    s.values["a"] = 1;
    EXPECT_EQ(s.find("a"), std::nullopt);
    EXPECT_TRUE(s.known.is_due("a"));
    s.update("a");
    EXPECT_EQ(s.find("a"), 1);
    s.values["a"] = 2;
    s.host.advance(9min);
    s.update("a");
    EXPECT_EQ(s.find("a"), 1);
    s.host.advance(1min);
    EXPECT_TRUE(s.known.is_due("a"));
    EXPECT_EQ(s.find("a"), 1) << "however old";
    s.update("a");
    EXPECT_EQ(s.find("a"), 2);
}

TEST(LastKnown, KeepsAValueAndPausesIfReadingFails) {
    ValueSource s;
    s.values["a"] = 1;
    s.update("a");
    s.error = unavailable;
    s.host.advance(10min);
    s.update("a");
    EXPECT_EQ(s.find("a"), 1);
    ASSERT_NE(s.known.find_error("a"), nullptr);
    EXPECT_EQ(*s.known.find_error("a"), unavailable);
    EXPECT_FALSE(s.known.is_due("a"));
    s.update("a");
    EXPECT_EQ(s.reads, 2);
    s.error.reset();
    s.host.advance(1min);
    s.update("a");
    EXPECT_EQ(s.known.find_error("a"), nullptr);
    EXPECT_EQ(s.reads, 3);
}

TEST(LastKnown, ForgetsADeletedKey) {
    ValueSource s;
    s.values["a"] = 1;
    s.update("a");
    s.values.clear();
    s.known.expire("a");
    s.update("a");
    EXPECT_EQ(s.find("a"), std::nullopt);
    EXPECT_EQ(s.known.find_error("a")->code, ErrorCode::not_found);
}

TEST(LastKnown, ChangesItsVersionWithAValue) {
    ValueSource s;
    s.values = {{"a", 1}, {"b", 1}};
    s.update("a");
    const auto first = s.known.version();
    s.known.expire("a");
    s.update("a");
    EXPECT_EQ(s.known.version(), first) << "an equal value is not a change";
    s.update("b");
    const auto second = s.known.version();
    EXPECT_NE(second, first);
    s.error = unavailable;
    s.known.expire("a");
    s.update("a");
    EXPECT_EQ(s.known.version(), second) << "the value is kept";
    s.known.put_error("a", {ErrorCode::not_found, "it is gone"});
    const auto third = s.known.version();
    EXPECT_NE(third, second);
    s.known.put_error("a", {ErrorCode::not_found, "it is gone"});
    EXPECT_EQ(s.known.version(), third);
}

TEST(LastKnown, TreatsAPutValueAsRead) {
    ValueSource s;
    s.known.put_error("a", unavailable);
    s.known.put("a", 7);
    EXPECT_EQ(s.find("a"), 7);
    EXPECT_EQ(s.known.find_error("a"), nullptr);
    EXPECT_FALSE(s.known.is_due("a"));
    s.update("a");
    EXPECT_EQ(s.reads, 0);
}

TEST(LastKnown, ForgetsUnneededKeysAndReadsThemAgain) {
    ValueSource s;
    s.values = {{"a", 1}, {"b", 1}};
    s.update("a");
    s.update("b");
    s.update("c");
    s.known.keep_only({"b"});
    EXPECT_EQ(s.find("a"), std::nullopt);
    EXPECT_EQ(s.find("b"), 1);
    EXPECT_EQ(s.known.find_error("c"), nullptr);
    EXPECT_TRUE(s.known.is_due("a"));
    EXPECT_FALSE(s.known.is_due("b"));
}

/// A value that cannot be compared counts as changed each time.
struct Incomparable {
    int value = 0;
};
TEST(LastKnown, ChangesItsVersionWithEachIncomparableValue) {
    FakeHost host;
    LastKnown<int, Incomparable> known(host.host(), {}, 1min);
    known.put(1, {1});
    const auto before = known.version();
    known.put(1, {1});
    EXPECT_NE(known.version(), before);
}

}  // namespace
}  // namespace capstan
