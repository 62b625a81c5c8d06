#include "runtime/instances/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "../test_host.hpp"

namespace capstan::runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What a plugin class under test did; reset by each test.
std::string journal;

struct KeepsAll {
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        for (const OptionView option : question.options()) keep(option);
    }
};

/// Takes a second to start and to stop, and cannot be asked meanwhile.
struct Slow : KeepsAll {
    explicit Slow(const Host& host, const Settings&) : host_(host) {}
    ~Slow() { journal += " destroyed"; }
    Task<void> start() {
        co_await sleep_for(host_, 1s);
        journal += "started";
    }
    Task<void> stop() {
        journal += " stops";
        co_return;
    }
    Host host_;
};

struct Instance : testing::Test {
    TestHost host;
    Instance() { journal.clear(); }
};

TEST_F(Instance, RunsOnceItsStartHasEndedAndGoesOnceItsStopHas) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(10s, started.receive());
    host.loop.settle();
    EXPECT_FALSE(slow->is_running());
    host.loop.advance(1s);
    EXPECT_TRUE(started.get());
    EXPECT_TRUE(slow->is_running());
    EXPECT_TRUE(stop(host, *slow));
    EXPECT_EQ(journal, "started stops destroyed");
}

TEST_F(Instance, IsNotRunningWhenItsStartTookTooLong) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(100ms, started.receive());
    host.loop.advance(1min);
    EXPECT_EQ(started.get().error().code, ErrorCode::deadline);
    EXPECT_FALSE(slow->is_running());
    EXPECT_TRUE(stop(host, *slow)) << "what began must be ended all the same";
    EXPECT_THAT(journal, HasSubstr("destroyed"));
}

TEST_F(Instance, IsDestroyedAtOnceWhenItNeverStarted) {
    {
        const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    }
    EXPECT_EQ(journal, " destroyed");
}

struct FailsToStart : KeepsAll {
    Result<void> start() { return fail(ErrorCode::unauthenticated, "the token has expired"); }
};

TEST_F(Instance, SaysWhyItDidNotStart) {
    const auto instance =
        create(host, make_class<FailsToStart>({.id = "probe", .doc = ""})).value();
    const Result<void> started = start(host, *instance);
    EXPECT_EQ(started.error().message, "plugin probe: start: the token has expired");
    EXPECT_EQ(started.error().code, ErrorCode::unauthenticated);
    std::ignore = stop(host, *instance);
}

/// Waits for a timer, a request and a thread at once, for ever without a callback.
struct Busy : KeepsAll {
    explicit Busy(const Host& host, const Settings&) : host_(host) {
        const auto* const exec = host.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_task note = [](void*, capstan_status status) noexcept {
            journal += status == CAPSTAN_E_CANCELLED ? " cancelled" : " called";
        };
        exec->after(host.raw(), INT64_MAX, note, nullptr, nullptr);
        exec->after(host.raw(), INT64_MAX, note, nullptr, nullptr);
        const capstan_str url = str("http://api.test/");
        const capstan_http_request request{sizeof request, 0, str("GET"), url, {}, {}, 0, 0, 0};
        host.service<capstan_http>(CAPSTAN_SERVICE_HTTP)
            ->send(
                host.raw(), &request,
                [](void*, capstan_status status, const capstan_http_reply*,
                   const capstan_error*) noexcept {
                    journal += status == CAPSTAN_E_CANCELLED ? " request" : " reply";
                },
                nullptr);
    }
    ~Busy() { journal += " destroyed"; }
    Task<void> stop() {
        const auto* const exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_task never = [](void*, capstan_status) noexcept { journal += " WRONG"; };
        journal +=
            exec->post(host_.raw(), never, nullptr) == CAPSTAN_E_CANCELLED ? "refused" : "posted";
        co_return;
    }
    Host host_;
};

TEST_F(Instance, HasEverythingOpenCalledBackBeforeItIsDestroyed) {
    services::InstanceIdentity who = identity("probe");
    who.grants.http = {"api.test"};
    const auto busy = create(host, make_class<Busy>({.id = "probe", .doc = ""}), who).value();
    ASSERT_TRUE(start(host, *busy));
    EXPECT_TRUE(stop(host, *busy));
    EXPECT_EQ(journal, "refused cancelled cancelled request destroyed");
    EXPECT_FALSE(busy->interface<capstan_expander>(CAPSTAN_KIND_EXPANDER)) << "it is gone";
}

/// Opens an operation of its own host's and never ends it.
struct NeverStops : KeepsAll {
    explicit NeverStops(const Host& host, const Settings&) : host_(host) {}
    ~NeverStops() { journal += " destroyed"; }
    struct Never {
        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> h) { frame = h; }
        void await_resume() const {}
        static inline std::coroutine_handle<> frame;
    };
    Task<void> stop() { co_await Never(); }
    Host host_;
};

TEST_F(Instance, StaysInMemoryWhenItsStopNeverEnds) {
    auto stuck = create(host, make_class<NeverStops>({.id = "probe", .doc = ""})).value();
    ASSERT_TRUE(start(host, *stuck));
    const Result<void> stopped = stop(host, *stuck);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::deadline);
    stuck = nullptr;
    EXPECT_EQ(journal, "") << "something may still be running in it";
    EXPECT_THAT(host.lines->text(), HasSubstr("stays in memory"));
    NeverStops::Never::frame.resume();  // it comes back after all, without effect
    host.loop.settle();
    EXPECT_THAT(host.metrics->text(), HasSubstr("late_completions_total{plugin=\"probe\"} 1"));
}

struct LateBlocker : KeepsAll {
    explicit LateBlocker(const Host& host, const Settings&) : host_(host) {}
    ~LateBlocker() { journal += " destroyed"; }
    Task<void> start() {
        begin();
        co_return;
    }
    void begin() {
        const auto* const exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const auto work = [](void*) noexcept { gate.wait(false); };
        const capstan_task done = [](void*, capstan_status status) noexcept {
            journal += status == CAPSTAN_OK ? " worked" : " dropped";
        };
        for (int i = 0; i < 3; ++i) exec->blocking(host_.raw(), work, done, nullptr);
    }
    static inline std::atomic<bool> gate{false};
    Host host_;
};

TEST_F(Instance, WaitsForBlockingWorkThatIsUnderWayAndDropsTheRest) {
    services::InstanceIdentity who = identity("probe");
    who.limits.blocking_threads = 1;
    LateBlocker::gate = false;
    const auto instance =
        create(host, make_class<LateBlocker>({.id = "probe", .doc = ""}), who).value();
    Outcome started, stopped;
    instance->start(1s, started.receive());
    host.io.poll();
    instance->stop(1s, stopped.receive());
    host.io.poll();
    LateBlocker::gate = true;
    LateBlocker::gate.notify_all();
    host.loop.settle();
    EXPECT_TRUE(stopped.is_there());
    EXPECT_THAT(journal, testing::EndsWith(" destroyed"));
    EXPECT_EQ(instance->context().tasks().open_count(), 0u);
}

struct Checked : KeepsAll {
    Result<void> self_check() {
        return fail(ErrorCode::permission, "needs autoscaling:DescribeAutoScalingGroups");
    }
};

TEST_F(Instance, ChecksItselfWhereItsPluginCan) {
    const Running<Checked> checked(host);
    const Running<KeepsAll> plain(host);
    Outcome of_checked, of_plain;
    checked->self_check(1s, of_checked.receive());
    plain->self_check(1s, of_plain.receive());
    host.loop.settle();
    EXPECT_EQ(of_checked.get().error().message,
              "plugin probe: self_check: needs autoscaling:DescribeAutoScalingGroups");
    EXPECT_TRUE(of_plain.get());
}

struct Live : KeepsAll {
    Result<void> reconfigure(const Settings&) {
        journal += "reconfigured";
        return {};
    }
};

std::shared_ptr<const capstan_settings> no_settings() {
    static const config::SettingValue none;
    static const config::SettingsView view(none, "", nullptr);
    return {view.abi(), [](const capstan_settings*) {}};
}

TEST_F(Instance, TakesNewSettingsOnlyWhenNoHookIsUnderWay) {
    const Running<Live> live(host);
    live->gate().enter(false, std::chrono::steady_clock::now());
    Outcome outcome;
    live->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.advance(500ms);
    EXPECT_EQ(journal, "");
    live->gate().leave();
    host.loop.advance(10ms);
    EXPECT_TRUE(outcome.get());
    EXPECT_EQ(journal, "reconfigured");
}

TEST_F(Instance, GivesUpOnNewSettingsWhenItsHooksNeverRest) {
    const Running<Live> live(host);
    live->gate().enter(false, std::chrono::steady_clock::now());
    Outcome outcome;
    live->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.advance(2s);
    live->gate().leave();
    EXPECT_EQ(outcome.get().error().code, ErrorCode::deadline);
}

TEST_F(Instance, SaysThatItTakesNoNewSettings) {
    const Running<KeepsAll> plain(host);
    Outcome outcome;
    plain->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.settle();
    EXPECT_EQ(outcome.get().error().code, ErrorCode::unsupported);
}

TEST_F(Instance, IsStoppedOnce) {
    const auto instance = create(host, make_class<KeepsAll>({.id = "probe", .doc = ""})).value();
    EXPECT_TRUE(stop(host, *instance));
    EXPECT_FALSE(stop(host, *instance));
}

TEST_F(Instance, IsStartedOnce) {
    const Running<KeepsAll> instance(host);
    EXPECT_FALSE(start(host, *instance));
    EXPECT_TRUE(instance->is_running());
}

/// Cannot be without a clock.
struct NeedsAClock : KeepsAll {
    explicit NeedsAClock(const Host& host, const Settings&) {
        if (host.service<capstan_clock>(CAPSTAN_SERVICE_CLOCK) == nullptr)
            throw Failure(ErrorCode::unsupported, "it needs a clock");
    }
};

TEST_F(Instance, IsRefusedWithTheKeyThatServesTheDraftItNeeds) {
    const capstan_class type = make_class<NeedsAClock>({.id = "probe", .doc = ""});
    host.drafts = {.ids = {CAPSTAN_SERVICE_CLOCK}};
    const std::string sentence =
        "capstan.clock/1 is a draft interface and may change in the next version; set trust.drafts "
        "= true to allow it";
    const auto refused = create(host, type);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "plugin probe: create: it needs a clock; " + sentence);
    EXPECT_THAT(host.lines->text(), HasSubstr("interface not offered to the plugin: " + sentence));
    host.drafts.are_served = true;
    EXPECT_TRUE(create(host, type));
}

TEST_F(Instance, OfAKindThatIsADraftIsMadeOnlyWhereDraftsAreServed) {
    host.drafts = {.ids = {CAPSTAN_KIND_EXPANDER}};
    const auto refused = create(host, make_class<Slow>({.id = "probe", .doc = ""}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("plugin probe: capstan.expander/1 is a draft"));
    EXPECT_EQ(journal, "") << "its code was not asked";
    host.drafts.are_served = true;
    EXPECT_TRUE(create(host, make_class<Slow>({.id = "probe", .doc = ""})));
}

TEST_F(Instance, HasNoInterfaceThatIsADraft) {
    host.drafts = {.ids = {CAPSTAN_INTERFACE_PRICING}};
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    EXPECT_EQ(slow->interface<capstan_cloud_pricing>(CAPSTAN_INTERFACE_PRICING).value(), nullptr);
    EXPECT_NE(slow->interface<capstan_expander>(CAPSTAN_KIND_EXPANDER).value(), nullptr);
    EXPECT_THAT(host.lines->text(),
                HasSubstr("interface not offered to the plugin: capstan.cloud.pricing/1"));
}

TEST_F(Instance, MayBeStoppedWhileItStarts) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(10s, started.receive());
    host.loop.settle();
    EXPECT_TRUE(stop(host, *slow));
    EXPECT_FALSE(started.get());
    EXPECT_EQ(journal, " destroyed") << "its stop is not called before its start has ended";
}

/// So much real time.
void take(Duration time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

TEST_F(Instance, IsNotBlamedForWhatTheHostDoesOnItsStrand) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore = instance->context().calls().call(loop::Hook::refresh, [] {
            const loop::PluginTime::Paused copying;
            take(60ms);
        });
        take(60ms);
    });
    host.loop.settle();
    EXPECT_THAT(host.metrics->text(), HasSubstr("strand_overruns_total{plugin=\"probe\"} 0"));
}

/// What a plugin puts into a table that is built without the boundary's promise.
template <class R, class... P>
void put(R (*&place)(P...) noexcept, R (*function)(P...)) {
    std::memcpy(&place, &function, sizeof place);
}

TEST_F(Instance, IsNotMadeOfAClassWhoseCreateLetsAnExceptionOut) {
    capstan_class type = make_class<KeepsAll>({.id = "probe", .doc = ""});
    put(
        type.create,
        +[](const capstan_host*, const capstan_settings*, const capstan_call*,
            const capstan_instance**) -> capstan_status { throw std::runtime_error("through C"); });
    const auto made = create(host, type);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(),
              (Error{ErrorCode::internal, "plugin probe: create threw an exception: through C"}));
}

TEST_F(Instance, LivesOnWhereACallbackOfItLetsAnExceptionOut) {
    Running<KeepsAll> instance(host);
    capstan_task task{};
    put(task, +[](void*, capstan_status) { throw std::runtime_error("through C"); });
    EXPECT_EQ(instance->context().tasks().post(task, nullptr), CAPSTAN_OK);
    host.loop.settle();
    EXPECT_THAT(host.lines->text(),
                HasSubstr("error probe: callback threw an exception: through C"));
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("errors_total{code=\"internal\",hook=\"callback\",plugin=\"probe\"} 1"));
    EXPECT_EQ(instance->context().tasks().open_count(), 0u);
    EXPECT_TRUE(stop(host, *instance));
    instance.release();
}

TEST_F(Instance, CountsACallThatKeptItsStrand) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore = instance->context().calls().call(loop::Hook::refresh, [] { take(60ms); });
    });
    host.loop.settle();
    EXPECT_THAT(host.lines->text(),
                HasSubstr("debug probe: a call blocked the other calls of this plugin for "));
    EXPECT_THAT(host.metrics->text(), HasSubstr("strand_overruns_total{plugin=\"probe\"} 1"));
}

TEST_F(Instance, TellsOfACallThatKeptItsStrandForASecond) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore = instance->context().calls().call(loop::Hook::refresh, [] { take(1050ms); });
    });
    host.loop.settle();
    EXPECT_THAT(host.lines->text(),
                HasSubstr("warn  probe: a call blocked the other calls of this plugin for 1"));
}

// Plugins that break the rules of create, written against the C boundary.

capstan_instance made{};
capstan_status (*make_it)(const capstan_instance** out) noexcept;

capstan_class raw_class() {
    capstan_class type{};
    type.struct_size = sizeof type;
    type.class_id = str("probe");
    type.kind = str(CAPSTAN_KIND_EXPANDER);
    type.create = [](const capstan_host*, const capstan_settings*, const capstan_call* call,
                     const capstan_instance** out) noexcept {
        const capstan_status status = make_it(out);
        if (status == CAPSTAN_OK) return status;
        const capstan_error error{sizeof error, status, str("no such region 'mars'"), {},
                                  {},           -1,     CAPSTAN_SCOPE_UNKNOWN,        0};
        return call->fail(call, &error);
    };
    return type;
}

struct BadCreate : Instance {
    BadCreate() {
        made = {};
        made.struct_size = sizeof made;
        made.interface_of = [](void*, const char*) noexcept -> const void* { return nullptr; };
        made.destroy = [](void*) noexcept { journal += "destroyed"; };
        make_it = [](const capstan_instance** out) noexcept {
            *out = &made;
            return static_cast<capstan_status>(CAPSTAN_OK);
        };
    }
    std::string error() { return create(host, raw_class()).error().message; }
};

TEST_F(BadCreate, PassesOnWhatThePluginSays) {
    make_it = [](const capstan_instance**) noexcept {
        return static_cast<capstan_status>(CAPSTAN_E_INVALID_CONFIG);
    };
    const Error said = create(host, raw_class()).error();
    EXPECT_EQ(said.code, ErrorCode::invalid_config);
    EXPECT_EQ(said.message, "plugin probe: create: no such region 'mars'");
}

TEST_F(BadCreate, IsToldWhenItLeavesNothing) {
    make_it = [](const capstan_instance**) noexcept {
        return static_cast<capstan_status>(CAPSTAN_OK);
    };
    EXPECT_EQ(error(), "plugin probe: create returned OK without an instance");
}

TEST_F(BadCreate, IsToldWhenItsInstanceIsTooShort) {
    made.struct_size = 16;
    EXPECT_EQ(error(), "plugin probe: create returned an instance whose struct_size is 16");
    EXPECT_EQ(journal, "") << "a function that is not there cannot be called";
}

TEST_F(BadCreate, IsToldWhenItsInstanceCannotBeDestroyedOrAsked) {
    made.destroy = nullptr;
    EXPECT_EQ(error(), "plugin probe: create returned an instance without destroy");
    made.interface_of = nullptr;
    EXPECT_EQ(error(), "plugin probe: create returned an instance without interface_of");
}

TEST_F(BadCreate, IsToldWhenItsInstanceDoesNotKnowItsOwnKind) {
    EXPECT_EQ(error(),
              "plugin probe: interface_of returned NULL for the class's kind capstan.expander/1");
    EXPECT_EQ(journal, "destroyed");
}

capstan_expander broken{};

TEST_F(BadCreate, IsToldWhenItsTableIsTooShortOrHasNoFunction) {
    made.interface_of = [](void*, const char*) noexcept -> const void* { return &broken; };
    broken.struct_size = 16;
    EXPECT_EQ(error(),
              "plugin probe: interface capstan.expander/1: filter is beyond the table's "
              "struct_size of 16");
    broken.struct_size = sizeof broken;
    EXPECT_EQ(error(), "plugin probe: interface capstan.expander/1: filter is NULL");
}

}  // namespace
}  // namespace capstan::runtime::instances
