#include <capstan/testing/fake_host.hpp>

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::CloudView;
using capstan::Error;
using capstan::ErrorCode;
using capstan::Host;
using capstan::NodeTemplate;
using capstan::Resized;
using capstan::testing::FakeHost;
using capstan::testing::Misuse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The host from the view of a plugin.
struct PluginView {
    const capstan_host* raw;
    const capstan_ops* ops;
    const capstan_exec* exec;
    const capstan_http* http;
    explicit PluginView(const FakeHost& host)
        : raw(host.handle()),
          ops(host.host().service<capstan_ops>(CAPSTAN_SERVICE_OPS)),
          exec(host.host().service<capstan_exec>(CAPSTAN_SERVICE_EXEC)),
          http(host.host().service<capstan_http>(CAPSTAN_SERVICE_HTTP)) {}
};

/// Records which functions are called, and with which status.
struct Notes {
    std::vector<std::string> lines;
    struct Entry {
        Notes* notes;
        std::string name;
    };
    std::vector<std::unique_ptr<Entry>> entries;

    void* as(std::string name) {
        entries.push_back(std::make_unique<Entry>(Entry{this, std::move(name)}));
        return entries.back().get();
    }
    static void called(void* user, capstan_status status) noexcept {
        auto* entry = static_cast<Entry*>(user);
        entry->notes->lines.push_back(entry->name +
                                      (status == CAPSTAN_OK ? "" : " " + std::to_string(status)));
    }
};

TEST(FakeHost, RunsNothingByItself) {
    FakeHost host;
    const PluginView seen(host);
    Notes notes;
    EXPECT_EQ(seen.exec->post(seen.raw, &Notes::called, notes.as("posted")), CAPSTAN_OK);
    EXPECT_THAT(notes.lines, IsEmpty());
    host.run();
    EXPECT_THAT(notes.lines, ElementsAre("posted"));
}

TEST(FakeHost, RunsTimersInOrder) {
    FakeHost host;
    const PluginView seen(host);
    Notes notes;
    seen.exec->after(seen.raw, 3'000'000'000, &Notes::called, notes.as("three"), nullptr);
    seen.exec->after(seen.raw, 1'000'000'000, &Notes::called, notes.as("one"), nullptr);
    seen.exec->after(seen.raw, 1'000'000'000, &Notes::called, notes.as("one too"), nullptr);
    host.advance(2s);
    EXPECT_THAT(notes.lines, ElementsAre("one", "one too"));
    host.advance(1s);
    EXPECT_THAT(notes.lines, ElementsAre("one", "one too", "three"));
}

TEST(FakeHost, CallsBackACancelledTimerOnce) {
    FakeHost host;
    const PluginView seen(host);
    Notes notes;
    std::uint64_t timer = 0;
    seen.exec->after(seen.raw, 1'000'000'000, &Notes::called, notes.as("timer"), &timer);
    EXPECT_EQ(seen.exec->cancel_timer(seen.raw, timer), CAPSTAN_OK);
    EXPECT_EQ(seen.exec->cancel_timer(seen.raw, timer), CAPSTAN_E_NOT_FOUND);
    host.advance(1min);
    EXPECT_THAT(notes.lines, ElementsAre("timer " + std::to_string(CAPSTAN_E_CANCELLED)));
}

TEST(FakeHost, AdvancesBothClocksTogether) {
    FakeHost host({.start = capstan::time_from_unix_ns(1'000)});
    EXPECT_EQ(capstan::unix_ns(host.now()), 1'000);
    const auto before = host.host().monotonic();
    host.advance(30min);
    EXPECT_EQ(host.host().monotonic() - before, 30min);
    EXPECT_EQ(host.host().now() - capstan::time_from_unix_ns(1'000), 30min);
    host.step_wall(-2h);
    EXPECT_EQ(host.host().monotonic() - before, 30min);
    EXPECT_EQ(host.host().now() - capstan::time_from_unix_ns(1'000), 30min - 2h);
}

TEST(FakeHost, RepeatsRandomNumbersForTheSameSeed) {
    const auto three = [](std::uint64_t seed) {
        FakeHost host({.seed = seed});
        return std::vector{host.host().random(), host.host().random(), host.host().random()};
    };
    EXPECT_EQ(three(7), three(7));
    EXPECT_NE(three(7), three(8));
}

TEST(FakeHost, DetectsWorkThatNeverEnds) {
    struct Again {
        const capstan_host* host = nullptr;
        const capstan_exec* exec = nullptr;
        static void post(void* user, capstan_status) noexcept {
            const auto& self = *static_cast<Again*>(user);
            self.exec->post(self.host, &post, user);
        }
    } again;
    FakeHost host;
    again = {host.handle(), PluginView(host).exec};
    Again::post(&again, CAPSTAN_OK);
    EXPECT_FALSE(host.run());
}

TEST(FakeHost, CopiesTheResultOfAnOperation) {
    FakeHost host;
    const PluginView seen(host);
    const auto operation = host.open<Resized>();
    capstan_resized resized{sizeof resized, 3, nullptr};
    EXPECT_EQ(seen.ops->complete(seen.raw, operation.id(), CAPSTAN_RESULT_RESIZED, &resized),
              CAPSTAN_OK);
    resized.target = 99;
    EXPECT_EQ(operation.result(), Resized{3});
}

TEST(FakeHost, CountsEveryMisuseOfOperations) {
    FakeHost host;
    const PluginView seen(host);
    const auto twice = host.open<void>();
    seen.ops->complete(seen.raw, twice.id(), CAPSTAN_RESULT_NONE, nullptr);
    EXPECT_EQ(seen.ops->complete(seen.raw, twice.id(), CAPSTAN_RESULT_NONE, nullptr),
              CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(seen.ops->complete(seen.raw, 12345, CAPSTAN_RESULT_NONE, nullptr),
              CAPSTAN_E_NOT_FOUND);
    const auto wrong = host.open<NodeTemplate>();
    const capstan_resized resized{sizeof resized, 3, nullptr};
    EXPECT_EQ(seen.ops->complete(seen.raw, wrong.id(), CAPSTAN_RESULT_RESIZED, &resized),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(wrong.result().error().code, ErrorCode::internal);
    const auto late = host.open<void>();
    host.cancel(late.id());
    EXPECT_EQ(seen.ops->complete(seen.raw, late.id(), CAPSTAN_RESULT_NONE, nullptr),
              CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(host.misuse(), (Misuse{1, 1, 1, 1}));
}

TEST(FakeHost, CompletesAnOperationWithTheStatusOfItsFunction) {
    FakeHost host;
    const auto refused = host.call<CloudView>([](capstan_op) { return CAPSTAN_E_UNSUPPORTED; });
    EXPECT_EQ(refused.result().error().code, ErrorCode::unsupported);
}

TEST(FakeHost, RejectsAMalformedResult) {
    FakeHost host;
    const PluginView seen(host);
    const auto operation = host.open<Resized>();
    const capstan_resized negative{sizeof negative, -3, nullptr};
    seen.ops->complete(seen.raw, operation.id(), CAPSTAN_RESULT_RESIZED, &negative);
    EXPECT_EQ(operation.result().error().code, ErrorCode::internal);
    const auto empty = host.open<Resized>();
    seen.ops->complete(seen.raw, empty.id(), CAPSTAN_RESULT_RESIZED, nullptr);
    EXPECT_EQ(empty.result().error().code, ErrorCode::internal);
}

TEST(FakeHost, NotifiesThePluginBeforeItClosesAnOperation) {
    FakeHost host;
    const PluginView seen(host);
    const auto operation = host.open<void>(5s);
    struct Plugin {
        PluginView seen;
        int notified = 0;
    } plugin{seen};
    seen.ops->on_cancel(
        seen.raw, operation.id(),
        [](void* user, capstan_op op) noexcept {
            auto& p = *static_cast<Plugin*>(user);
            ++p.notified;
            const Error mine{ErrorCode::cancelled, "rolled back"};
            const capstan_error e = capstan::to_abi(mine);
            p.seen.ops->fail(p.seen.raw, op, &e);
        },
        &plugin);
    EXPECT_EQ(seen.ops->cancelled(seen.raw, operation.id()), 0);
    host.advance(5s);
    EXPECT_EQ(plugin.notified, 1);
    EXPECT_EQ(operation.result(), capstan::fail(ErrorCode::cancelled, "rolled back"));
    EXPECT_EQ(seen.ops->cancelled(seen.raw, operation.id()), 1);
    EXPECT_EQ(seen.ops->deadline_ns(seen.raw, operation.id()), 0);
}

TEST(FakeHost, CallsBackEverythingWhenItStops) {
    FakeHost host;
    const PluginView seen(host);
    Notes notes;
    const std::string cancelled = " " + std::to_string(CAPSTAN_E_CANCELLED);
    seen.exec->post(seen.raw, &Notes::called, notes.as("posted"));
    seen.exec->after(seen.raw, 1'000'000'000, &Notes::called, notes.as("timer"), nullptr);
    seen.exec->blocking(
        seen.raw, [](void*) noexcept { ADD_FAILURE(); }, &Notes::called, notes.as("blocking"));
    const auto operation = host.open<void>();
    EXPECT_TRUE(host.stop());
    EXPECT_THAT(notes.lines,
                ::testing::UnorderedElementsAre("posted" + cancelled, "timer" + cancelled,
                                                "blocking" + cancelled));
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
    EXPECT_EQ(seen.exec->post(seen.raw, &Notes::called, notes.as("late")), CAPSTAN_E_CANCELLED);
    host.restart();
    EXPECT_EQ(seen.exec->post(seen.raw, &Notes::called, notes.as("next")), CAPSTAN_OK);
    host.run();
}

TEST(FakeHost, WithholdsServicesThatAreNotGranted) {
    FakeHost host;
    host.withhold(CAPSTAN_SERVICE_HTTP);
    EXPECT_EQ(PluginView(host).http, nullptr);
    EXPECT_NE(PluginView(host).exec, nullptr);
    EXPECT_EQ(host.handle()->service(host.handle(), "capstan.unknown/1"), nullptr);
}

TEST(FakeHost, ReturnsBusyIfOverloaded) {
    FakeHost host;
    const PluginView seen(host);
    Notes notes;
    host.overload(CAPSTAN_SERVICE_EXEC);
    EXPECT_EQ(seen.exec->post(seen.raw, &Notes::called, notes.as("a")), CAPSTAN_E_BUSY);
    EXPECT_EQ(seen.exec->after(seen.raw, 1, &Notes::called, notes.as("b"), nullptr),
              CAPSTAN_E_BUSY);
    host.overload(CAPSTAN_SERVICE_EXEC, false);
    EXPECT_EQ(seen.exec->post(seen.raw, &Notes::called, notes.as("c")), CAPSTAN_OK);
    host.run();
}

TEST(FakeHost, AcceptsLinesMetricsAndCompletionsFromManyThreads) {
    FakeHost host;
    const Host lent = host.host();
    const capstan::Metric calls = capstan::counter(lent, "calls", "Calls.");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                calls.record(1);
                lent.info("line");
                lent.random();
                const auto operation = host.open<void>();
                lent.ops()->complete(lent.raw(), operation.id(), CAPSTAN_RESULT_NONE, nullptr);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(host.metric("calls"), 200);
    EXPECT_EQ(host.log_lines().size(), 200u);
    EXPECT_EQ(host.misuse(), Misuse());
}

TEST(FakeHttpReplies, UsesEachArrangedReplyOnceInOrder) {
    FakeHost host;
    constexpr auto url = "https://api.example/a";
    host.http()
        .on("GET", url, capstan::testing::reply(500))
        .on("GET", url, capstan::testing::reply(200));
    const auto status = [](Host h) -> capstan::Task<int> {
        co_return (co_await capstan::send(h, {"GET", url})).status;
    };
    EXPECT_THAT(host.http().unused(), ElementsAre("GET https://api.example/a (1 left)",
                                                  "GET https://api.example/a (1 left)"));
    EXPECT_EQ(run(host, status(host.host())), 500);
    EXPECT_EQ(run(host, status(host.host())), 200);
    EXPECT_EQ(run(host, status(host.host())).error().code, ErrorCode::unavailable);
    EXPECT_THAT(host.http().unused(), IsEmpty());
    EXPECT_EQ(host.http().requests().size(), 3u);
}

TEST(FakeHttpReplies, FindsTheHostNameOfAUrl) {
    EXPECT_EQ(capstan::testing::FakeHttp::host_name("https://user@api.example:8443/a?b#c"),
              "api.example");
    EXPECT_EQ(capstan::testing::FakeHttp::host_name("http://api.example"), "api.example");
    EXPECT_EQ(capstan::testing::FakeHttp::host_name("ftp://api.example"), "");
    EXPECT_EQ(capstan::testing::FakeHttp::host_name("/relative"), "");
}

TEST(FakeCall, RecordsWhatAHookReports) {
    capstan::testing::FakeCall call(5);
    EXPECT_EQ(call.call().seed(), 5u);
    EXPECT_FALSE(call.call().is_cancelled());
    call.cancel();
    EXPECT_TRUE(call.call().is_cancelled());
    call.call().explain("keeps a");
    EXPECT_EQ(capstan::detail::report(call.raw(), {ErrorCode::quota, "full"}), CAPSTAN_E_QUOTA);
    EXPECT_EQ(call.failure(), (Error{ErrorCode::quota, "full"}));
    EXPECT_THAT(call.explanations(), ElementsAre("keeps a"));
}

}  // namespace
