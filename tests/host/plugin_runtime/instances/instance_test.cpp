#include "plugin_runtime/instances/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "../test_host.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Actions of the plugin class under test; each test resets it.
std::string actions;

struct KeepsAll {
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        for (const OptionView option : question.options()) keep(option);
    }
};

/// Takes a second to start.
struct Slow : KeepsAll {
    explicit Slow(const Host& host, const Settings&) : host_(host) {}
    ~Slow() { actions += " destroyed"; }
    Task<void> start() {
        co_await sleep_for(host_, 1s);
        actions += "started";
    }
    Task<void> stop() {
        actions += " stops";
        co_return;
    }
    Host host_;
};

struct PluginInstanceTest : testing::Test {
    TestHost host;
    PluginInstanceTest() { actions.clear(); }
};

TEST_F(PluginInstanceTest, RunsAfterStartAndIsDestroyedAfterStop) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(10s, started.receive());
    host.loop.settle();
    EXPECT_FALSE(slow->is_running());
    host.loop.advance(1s);
    EXPECT_TRUE(started.get());
    EXPECT_TRUE(slow->is_running());
    EXPECT_TRUE(stop(host, *slow));
    EXPECT_EQ(actions, "started stops destroyed");
}

TEST_F(PluginInstanceTest, DoesNotRunIfStartTimedOut) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(100ms, started.receive());
    host.loop.advance(1min);
    EXPECT_EQ(started.get().error().code, ErrorCode::deadline);
    EXPECT_FALSE(slow->is_running());
    EXPECT_TRUE(stop(host, *slow)) << "a started instance must be stopped";
    EXPECT_THAT(actions, HasSubstr("destroyed"));
}

TEST_F(PluginInstanceTest, IsDestroyedIfItNeverStarted) {
    {
        const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    }
    EXPECT_EQ(actions, " destroyed");
}

struct FailsToStart : KeepsAll {
    Result<void> start() { return fail(ErrorCode::unauthenticated, "the token has expired"); }
};

TEST_F(PluginInstanceTest, ReportsWhyItDidNotStart) {
    const auto instance =
        create(host, make_class<FailsToStart>({.id = "probe", .doc = ""})).value();
    const Result<void> started = start(host, *instance);
    EXPECT_EQ(started.error().message, "plugin probe: start: the token has expired");
    EXPECT_EQ(started.error().code, ErrorCode::unauthenticated);
    std::ignore = stop(host, *instance);
}

/// Starts timers and a request that never end by themselves.
struct Busy : KeepsAll {
    explicit Busy(const Host& host, const Settings&) : host_(host) {
        const auto* const exec = host.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_task note = [](void*, capstan_status status) noexcept {
            actions += status == CAPSTAN_E_CANCELLED ? " cancelled" : " called";
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
                    actions += status == CAPSTAN_E_CANCELLED ? " request" : " reply";
                },
                nullptr);
    }
    ~Busy() { actions += " destroyed"; }
    Task<void> stop() {
        const auto* const exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_task never = [](void*, capstan_status) noexcept { actions += " WRONG"; };
        actions +=
            exec->post(host_.raw(), never, nullptr) == CAPSTAN_E_CANCELLED ? "refused" : "posted";
        co_return;
    }
    Host host_;
};

TEST_F(PluginInstanceTest, CallsBackEverythingOpenBeforeItIsDestroyed) {
    services::InstanceIdentity limited = identity("probe");
    limited.grants.http = {"api.test"};
    const auto busy = create(host, make_class<Busy>({.id = "probe", .doc = ""}), limited).value();
    ASSERT_TRUE(start(host, *busy));
    EXPECT_TRUE(stop(host, *busy));
    EXPECT_EQ(actions, "refused cancelled cancelled request destroyed");
    EXPECT_FALSE(busy->interface<capstan_expander>(CAPSTAN_KIND_EXPANDER)) << "it was destroyed";
}

/// Opens an operation and never ends it.
struct NeverStops : KeepsAll {
    explicit NeverStops(const Host& host, const Settings&) : host_(host) {}
    ~NeverStops() { actions += " destroyed"; }
    struct Never {
        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> h) { frame = h; }
        void await_resume() const {}
        static inline std::coroutine_handle<> frame;
    };
    Task<void> stop() { co_await Never(); }
    Host host_;
};

TEST_F(PluginInstanceTest, StaysInMemoryIfStopNeverEnds) {
    auto stuck = create(host, make_class<NeverStops>({.id = "probe", .doc = ""})).value();
    ASSERT_TRUE(start(host, *stuck));
    const Result<void> stopped = stop(host, *stuck);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::deadline);
    stuck = nullptr;
    EXPECT_EQ(actions, "") << "its code may still be running";
    EXPECT_THAT(host.lines->text(), HasSubstr("stays in memory"));
    NeverStops::Never::frame.resume();  // a late return has no effect
    host.loop.settle();
    EXPECT_THAT(host.metrics->text(), HasSubstr("late_completions_total{plugin=\"probe\"} 1"));
}

struct BlocksThreads : KeepsAll {
    explicit BlocksThreads(const Host& host, const Settings&) : host_(host) {}
    ~BlocksThreads() { actions += " destroyed"; }
    Task<void> start() {
        begin();
        co_return;
    }
    void begin() {
        const auto* const exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const auto work = [](void*) noexcept { gate.wait(false); };
        const capstan_task done = [](void*, capstan_status status) noexcept {
            actions += status == CAPSTAN_OK ? " worked" : " dropped";
        };
        for (int i = 0; i < 3; ++i) exec->blocking(host_.raw(), work, done, nullptr);
    }
    static inline std::atomic<bool> gate{false};
    Host host_;
};

TEST_F(PluginInstanceTest, WaitsForRunningBlockingWorkAndDropsTheRest) {
    services::InstanceIdentity limited = identity("probe");
    limited.limits.blocking_threads = 1;
    BlocksThreads::gate = false;
    const auto instance =
        create(host, make_class<BlocksThreads>({.id = "probe", .doc = ""}), limited).value();
    Outcome started, stopped;
    instance->start(1s, started.receive());
    host.io.poll();
    instance->stop(1s, stopped.receive());
    host.io.poll();
    BlocksThreads::gate = true;
    BlocksThreads::gate.notify_all();
    host.loop.settle();
    EXPECT_TRUE(stopped.has_value());
    EXPECT_THAT(actions, testing::EndsWith(" destroyed"));
    EXPECT_EQ(instance->context().tasks().open_count(), 0u);
}

struct Checked : KeepsAll {
    Result<void> self_check() {
        return fail(ErrorCode::permission, "needs autoscaling:DescribeAutoScalingGroups");
    }
};

TEST_F(PluginInstanceTest, RunsTheSelfCheckIfThePluginHasOne) {
    const Running<Checked> checked(host);
    const Running<KeepsAll> plain(host);
    Outcome checked_outcome, plain_outcome;
    checked->self_check(1s, checked_outcome.receive());
    plain->self_check(1s, plain_outcome.receive());
    host.loop.settle();
    EXPECT_EQ(checked_outcome.get().error().message,
              "plugin probe: self_check: needs autoscaling:DescribeAutoScalingGroups");
    EXPECT_TRUE(plain_outcome.get());
}

struct Live : KeepsAll {
    Result<void> reconfigure(const Settings&) {
        actions += "reconfigured";
        return {};
    }
};

std::shared_ptr<const capstan_settings> no_settings() {
    static const config::SettingValue none;
    static const config::SettingsView view(none, "", nullptr);
    return {view.abi(), [](const capstan_settings*) {}};
}

TEST_F(PluginInstanceTest, AppliesNewSettingsBetweenHooks) {
    const Running<Live> live(host);
    live->gate().enter(false, std::chrono::steady_clock::now());
    Outcome outcome;
    live->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.advance(500ms);
    EXPECT_EQ(actions, "");
    live->gate().leave();
    host.loop.advance(10ms);
    EXPECT_TRUE(outcome.get());
    EXPECT_EQ(actions, "reconfigured");
}

TEST_F(PluginInstanceTest, GivesUpReconfiguringIfHooksAreAlwaysRunning) {
    const Running<Live> live(host);
    live->gate().enter(false, std::chrono::steady_clock::now());
    Outcome outcome;
    live->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.advance(2s);
    live->gate().leave();
    EXPECT_EQ(outcome.get().error().code, ErrorCode::deadline);
}

TEST_F(PluginInstanceTest, ReportsThatItCannotBeReconfigured) {
    const Running<KeepsAll> plain(host);
    Outcome outcome;
    plain->reconfigure(no_settings(), 1s, outcome.receive());
    host.loop.settle();
    EXPECT_EQ(outcome.get().error().code, ErrorCode::unsupported);
}

TEST_F(PluginInstanceTest, CanBeStoppedOnce) {
    const auto instance = create(host, make_class<KeepsAll>({.id = "probe", .doc = ""})).value();
    EXPECT_TRUE(stop(host, *instance));
    EXPECT_FALSE(stop(host, *instance));
}

TEST_F(PluginInstanceTest, CanBeStartedOnce) {
    const Running<KeepsAll> instance(host);
    EXPECT_FALSE(start(host, *instance));
    EXPECT_TRUE(instance->is_running());
}

/// Needs the clock service.
struct NeedsAClock : KeepsAll {
    explicit NeedsAClock(const Host& host, const Settings&) {
        if (host.service<capstan_clock>(CAPSTAN_SERVICE_CLOCK) == nullptr)
            throw Failure(ErrorCode::unsupported, "it needs a clock");
    }
};

TEST_F(PluginInstanceTest, IsRefusedWithAHintAboutTheDraftItNeeds) {
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

TEST_F(PluginInstanceTest, OfADraftKindRequiresTheDraftsSetting) {
    host.drafts = {.ids = {CAPSTAN_KIND_EXPANDER}};
    const auto refused = create(host, make_class<Slow>({.id = "probe", .doc = ""}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("plugin probe: capstan.expander/1 is a draft"));
    EXPECT_EQ(actions, "") << "its code was not called";
    host.drafts.are_served = true;
    EXPECT_TRUE(create(host, make_class<Slow>({.id = "probe", .doc = ""})));
}

TEST_F(PluginInstanceTest, HidesDraftInterfaces) {
    host.drafts = {.ids = {CAPSTAN_INTERFACE_PRICING}};
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    EXPECT_EQ(slow->interface<capstan_cloud_pricing>(CAPSTAN_INTERFACE_PRICING).value(), nullptr);
    EXPECT_NE(slow->interface<capstan_expander>(CAPSTAN_KIND_EXPANDER).value(), nullptr);
    EXPECT_THAT(host.lines->text(),
                HasSubstr("interface not offered to the plugin: capstan.cloud.pricing/1"));
}

TEST_F(PluginInstanceTest, MayBeStoppedWhileItStarts) {
    const auto slow = create(host, make_class<Slow>({.id = "probe", .doc = ""})).value();
    Outcome started;
    slow->start(10s, started.receive());
    host.loop.settle();
    EXPECT_TRUE(stop(host, *slow));
    EXPECT_FALSE(started.get());
    EXPECT_EQ(actions, " destroyed") << "stop is not called before start has ended";
}

/// Uses this much real time.
void use_time(Duration time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

TEST_F(PluginInstanceTest, DoesNotCountTimeOfTheHostAsStrandOverrun) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore = instance->context().calls().call(loop::Hook::refresh, [] {
            const loop::PluginTime::Paused copying;
            use_time(60ms);
        });
        use_time(60ms);
    });
    host.loop.settle();
    EXPECT_THAT(host.metrics->text(), HasSubstr("strand_overruns_total{plugin=\"probe\"} 0"));
}

/// Stores a function that is not noexcept in a table of noexcept functions.
template <class R, class... P>
void put(R (*&place)(P...) noexcept, R (*function)(P...)) {
    std::memcpy(&place, &function, sizeof place);
}

TEST_F(PluginInstanceTest, ReportsAnExceptionOfCreate) {
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

TEST_F(PluginInstanceTest, SurvivesAnExceptionOfACallback) {
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

TEST_F(PluginInstanceTest, CountsACallThatBlockedItsStrand) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore = instance->context().calls().call(loop::Hook::refresh, [] { use_time(60ms); });
    });
    host.loop.settle();
    EXPECT_THAT(host.lines->text(),
                HasSubstr("debug probe: a call blocked the other calls of this plugin for "));
    EXPECT_THAT(host.metrics->text(), HasSubstr("strand_overruns_total{plugin=\"probe\"} 1"));
}

TEST_F(PluginInstanceTest, LogsACallThatBlockedItsStrandForASecond) {
    const Running<KeepsAll> instance(host);
    instance->context().strand().post([&instance] {
        std::ignore =
            instance->context().calls().call(loop::Hook::refresh, [] { use_time(1050ms); });
    });
    host.loop.settle();
    EXPECT_THAT(host.lines->text(),
                HasSubstr("warn  probe: a call blocked the other calls of this plugin for 1"));
}

// Plugins that violate the rules of create, written against the C ABI.

capstan_instance made{};
capstan_status (*create_instance)(const capstan_instance** out) noexcept;

capstan_class raw_class() {
    capstan_class type{};
    type.struct_size = sizeof type;
    type.class_id = str("probe");
    type.kind = str(CAPSTAN_KIND_EXPANDER);
    type.create = [](const capstan_host*, const capstan_settings*, const capstan_call* call,
                     const capstan_instance** out) noexcept {
        const capstan_status status = create_instance(out);
        if (status == CAPSTAN_OK) return status;
        const capstan_error error{sizeof error, status, str("no such region 'mars'"), {},
                                  {},           -1,     CAPSTAN_SCOPE_UNKNOWN,        0};
        return call->fail(call, &error);
    };
    return type;
}

struct PluginInstanceCreate : PluginInstanceTest {
    PluginInstanceCreate() {
        made = {};
        made.struct_size = sizeof made;
        made.interface_of = [](void*, const char*) noexcept -> const void* { return nullptr; };
        made.destroy = [](void*) noexcept { actions += "destroyed"; };
        create_instance = [](const capstan_instance** out) noexcept {
            *out = &made;
            return static_cast<capstan_status>(CAPSTAN_OK);
        };
    }
    std::string error() { return create(host, raw_class()).error().message; }
};

TEST_F(PluginInstanceCreate, ReturnsTheErrorOfThePlugin) {
    create_instance = [](const capstan_instance**) noexcept {
        return static_cast<capstan_status>(CAPSTAN_E_INVALID_CONFIG);
    };
    const Error failure = create(host, raw_class()).error();
    EXPECT_EQ(failure.code, ErrorCode::invalid_config);
    EXPECT_EQ(failure.message, "plugin probe: create: no such region 'mars'");
}

TEST_F(PluginInstanceCreate, ReportsAMissingInstance) {
    create_instance = [](const capstan_instance**) noexcept {
        return static_cast<capstan_status>(CAPSTAN_OK);
    };
    EXPECT_EQ(error(), "plugin probe: create returned OK without an instance");
}

TEST_F(PluginInstanceCreate, ReportsAnInstanceThatIsTooShort) {
    made.struct_size = 16;
    EXPECT_EQ(error(), "plugin probe: create returned an instance whose struct_size is 16");
    EXPECT_EQ(actions, "") << "destroy is beyond struct_size";
}

TEST_F(PluginInstanceCreate, ReportsAnInstanceWithoutRequiredFunctions) {
    made.destroy = nullptr;
    EXPECT_EQ(error(), "plugin probe: create returned an instance without destroy");
    made.interface_of = nullptr;
    EXPECT_EQ(error(), "plugin probe: create returned an instance without interface_of");
}

TEST_F(PluginInstanceCreate, ReportsAnInstanceWithoutItsOwnKind) {
    EXPECT_EQ(error(),
              "plugin probe: interface_of returned NULL for the class's kind capstan.expander/1");
    EXPECT_EQ(actions, "destroyed");
}

capstan_expander broken{};

TEST_F(PluginInstanceCreate, ReportsAnInvalidInterfaceTable) {
    made.interface_of = [](void*, const char*) noexcept -> const void* { return &broken; };
    broken.struct_size = 16;
    EXPECT_EQ(error(),
              "plugin probe: interface capstan.expander/1: filter is beyond the table's "
              "struct_size of 16");
    broken.struct_size = sizeof broken;
    EXPECT_EQ(error(), "plugin probe: interface capstan.expander/1: filter is NULL");
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
