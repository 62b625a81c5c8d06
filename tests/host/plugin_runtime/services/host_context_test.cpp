#include "plugin_runtime/services/host_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include <capstan/host.hpp>

#include "../test_host.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// Has one secret.
struct OneSecret final : SecretSource {
    Result<SecretText> read(std::string_view name) const override {
        if (name != "token") return fail(ErrorCode::not_found, "there is no such secret");
        SecretText secret(16);
        secret.append("s3cret");
        return secret;
    }
};

/// A context without a plugin: tests call its services.
struct HostContextTest : testing::Test {
    TestHost host;
    std::shared_ptr<HostContext> context = make({.http = {}, .secrets = {"token"}, .state = true});
    std::vector<capstan_status> called;

    std::shared_ptr<HostContext> make(config::Grants grants) {
        host.secrets = std::make_shared<OneSecret>();
        InstanceIdentity instance = identity("probe");
        instance.grants = std::move(grants);
        instance.limits.blocking_threads = 1;
        instance.limits.max_series = 2;
        return HostContext::make(host.environment(), instance);
    }
    ~HostContextTest() override { close(); }
    void close() {
        context->close();
        context->cancel_open(0);
        host.loop.settle();
    }
    template <class Table>
    const Table& service(const char* id) {
        return *static_cast<const Table*>(raw()->service(raw(), id));
    }
    const capstan_host* raw() const { return context->host(); }
    const capstan_exec& exec() { return service<capstan_exec>(CAPSTAN_SERVICE_EXEC); }
    static void note(void* user, capstan_status status) noexcept {
        static_cast<HostContextTest*>(user)->called.push_back(status);
    }
};

TEST_F(HostContextTest, OffersGrantedServices) {
    const auto without_grants = make({});
    for (const char* const id :
         {CAPSTAN_SERVICE_OPS, CAPSTAN_SERVICE_LOG, CAPSTAN_SERVICE_METRICS, CAPSTAN_SERVICE_CLOCK,
          CAPSTAN_SERVICE_EXEC, CAPSTAN_SERVICE_HTTP}) {
        EXPECT_NE(without_grants->host()->service(without_grants->host(), id), nullptr) << id;
    }
    for (const char* const id : {CAPSTAN_SERVICE_SECRETS, CAPSTAN_SERVICE_STATE}) {
        EXPECT_EQ(without_grants->host()->service(without_grants->host(), id), nullptr) << id;
        EXPECT_NE(raw()->service(raw(), id), nullptr) << id;
    }
    EXPECT_EQ(raw()->service(raw(), "capstan.magic/1"), nullptr);
    EXPECT_EQ(raw()->service(raw(), nullptr), nullptr);
}

TEST_F(HostContextTest, LetsOnlyACloudRequestAPass) {
    EXPECT_EQ(raw()->service(raw(), CAPSTAN_SERVICE_WAKE), nullptr) << "it is not a cloud";
    HostEnvironment environment = host.environment();
    std::vector<std::string> requests;
    environment.pass_requests->listen([&](const PassRequest& request) {
        requests.push_back(request.plugin + ": " + request.why);
    });
    InstanceIdentity instance = identity("aws");
    instance.kind = CAPSTAN_KIND_CLOUD;
    const auto cloud = HostContext::make(environment, instance);
    const auto& wake = *static_cast<const capstan_wake*>(
        cloud->host()->service(cloud->host(), CAPSTAN_SERVICE_WAKE));
    EXPECT_EQ(wake.wake(cloud->host(), str("spot notice\nfor i-1")), CAPSTAN_OK);
    EXPECT_EQ(wake.wake(cloud->host(), str(std::string(1000, 'x'))), CAPSTAN_OK);
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0], "aws: spot notice\\nfor i-1");
    EXPECT_LE(requests[1].size(), 270u);
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("capstan_plugin_pass_requests_total{plugin=\"aws\"} 2"));
    cloud->close();
    EXPECT_EQ(wake.wake(cloud->host(), str("late")), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(requests.size(), 2u);
}

TEST_F(HostContextTest, CallsAPostedFunctionOnceOnTheStrand) {
    EXPECT_EQ(exec().post(raw(), &note, this), CAPSTAN_OK);
    EXPECT_THAT(called, ElementsAre());
    host.loop.settle();
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK));
}

TEST_F(HostContextTest, CallsATimerWhenItIsDue) {
    std::uint64_t timer = 0;
    exec().after(raw(), Duration(1s).count(), &note, this, &timer);
    host.loop.advance(999ms);
    EXPECT_THAT(called, ElementsAre());
    host.loop.advance(1ms);
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK));
    EXPECT_EQ(exec().cancel_timer(raw(), timer), CAPSTAN_E_NOT_FOUND);
}

TEST_F(HostContextTest, CallsACancelledTimerAsCancelled) {
    std::uint64_t timer = 0;
    exec().after(raw(), Duration(1s).count(), &note, this, &timer);
    EXPECT_EQ(exec().cancel_timer(raw(), timer), CAPSTAN_OK);
    EXPECT_EQ(exec().cancel_timer(raw(), timer), CAPSTAN_E_NOT_FOUND);
    host.loop.advance(10s);
    EXPECT_THAT(called, ElementsAre(CAPSTAN_E_CANCELLED));
}

TEST_F(HostContextTest, RefusesWorkAfterClosingAndCallsBackOpenTasks) {
    exec().post(raw(), &note, this);
    exec().after(raw(), Duration(1h).count(), &note, this, nullptr);
    context->close();
    EXPECT_EQ(exec().post(raw(), &note, this), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(exec().after(raw(), 1, &note, this, nullptr), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(exec().blocking(raw(), [](void*) noexcept {}, &note, this), CAPSTAN_E_CANCELLED);
    context->cancel_open(0);
    host.loop.settle();
    EXPECT_THAT(called, ElementsAre(CAPSTAN_E_CANCELLED, CAPSTAN_E_CANCELLED));
    EXPECT_EQ(context->tasks().open_count(), 0u);
}

TEST_F(HostContextTest, LimitsTheNumberOfTasks) {
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(exec().post(raw(), &note, this), CAPSTAN_OK) << i;
    EXPECT_EQ(exec().post(raw(), &note, this), CAPSTAN_E_BUSY);
    host.loop.settle();
    EXPECT_EQ(called.size(), 1024u);
    EXPECT_EQ(exec().post(raw(), &note, this), CAPSTAN_OK);
}

TEST_F(HostContextTest, RunsBlockingWorkOnAnotherThread) {
    struct Work {
        HostContextTest* test;
        std::thread::id ran_on;
        bool was_on_strand = false;
    } work{this, {}, false};
    exec().blocking(
        raw(),
        [](void* user) noexcept { static_cast<Work*>(user)->ran_on = std::this_thread::get_id(); },
        [](void* user, capstan_status status) noexcept {
            auto* const self = static_cast<Work*>(user);
            self->was_on_strand = self->test->context->strand().is_here();
            note(self->test, status);
        },
        &work);
    host.loop.settle();
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK));
    EXPECT_NE(work.ran_on, std::this_thread::get_id());
    EXPECT_TRUE(work.was_on_strand);
}

TEST_F(HostContextTest, LimitsBlockingWork) {
    static std::atomic<bool> may_return;
    may_return = false;
    const auto work = [](void*) noexcept { may_return.wait(false); };
    int accepted = 0;
    while (exec().blocking(raw(), work, &note, this) == CAPSTAN_OK) ++accepted;
    EXPECT_EQ(accepted, 65) << "one thread and a queue of 64";
    may_return = true;
    may_return.notify_all();
    host.loop.settle();
    EXPECT_EQ(called.size(), 65u);
}

TEST_F(HostContextTest, UsesTheClockAndSeedOfTheSimulation) {
    const auto& clock = service<capstan_clock>(CAPSTAN_SERVICE_CLOCK);
    const std::int64_t before = clock.monotonic_ns(raw());
    host.loop.advance(3s);
    EXPECT_EQ(clock.monotonic_ns(raw()) - before, 3'000'000'000);
    EXPECT_EQ(clock.unix_ns(raw()), 4'000'000'000);
    const auto same = make({});
    EXPECT_EQ(clock.random(raw()), clock.random(same->host())) << "equal seed and id";
}

TEST_F(HostContextTest, LogsInTheNameOfTheInstance) {
    const auto& log = service<capstan_log>(CAPSTAN_SERVICE_LOG);
    const capstan_kv field{str("group"), str("web")};
    log.write(raw(), CAPSTAN_LOG_WARN, str("slow\n"), {&field, 1, sizeof field});
    log.write(raw(), 99, str("loud"), {});
    EXPECT_THAT(host.lines->text(), HasSubstr("warn  probe: slow\\n group=web"));
    EXPECT_THAT(host.lines->text(), HasSubstr("error probe: loud"));
    EXPECT_EQ(log.enabled(raw(), CAPSTAN_LOG_TRACE), 0);
    EXPECT_EQ(log.enabled(raw(), CAPSTAN_LOG_INFO), 1);
}

TEST_F(HostContextTest, LimitsTheSeriesOfAPlugin) {
    const auto& metrics = service<capstan_metrics>(CAPSTAN_SERVICE_METRICS);
    const std::vector<capstan_str> labels{str("zone")};
    const capstan_metric metric{sizeof metric, CAPSTAN_METRIC_COUNTER, str("calls_total"),
                                str("Calls."), array_of(labels),       {}};
    std::uint32_t id = 99;
    ASSERT_EQ(metrics.declare(raw(), &metric, &id), CAPSTAN_OK);
    const auto record = [&](const char* zone, double value) {
        const std::vector<capstan_str> values{str(zone)};
        return metrics.record(raw(), id, value, array_of(values));
    };
    EXPECT_EQ(record("a", 2), CAPSTAN_OK);
    EXPECT_EQ(record("a", 1), CAPSTAN_OK);
    EXPECT_EQ(record("b", 1), CAPSTAN_OK);
    EXPECT_EQ(record("c", 1), CAPSTAN_E_BUSY);
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("capstan_plugin_probe_calls_total{plugin=\"probe\",zone=\"a\"} 3"));
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("capstan_plugin_dropped_values_total{plugin=\"probe\"} 1"));
}

TEST_F(HostContextTest, LendsASecretForOneCall) {
    const auto& secrets = service<capstan_secrets>(CAPSTAN_SERVICE_SECRETS);
    const auto keep = [](void* user, capstan_str value) noexcept {
        *static_cast<std::string*>(user) = text(value);
    };
    std::string seen;
    EXPECT_EQ(secrets.with(raw(), str("token"), keep, nullptr, &seen), CAPSTAN_OK);
    EXPECT_EQ(seen, "s3cret");
    EXPECT_THAT(host.lines->text(), testing::Not(HasSubstr("s3cret")));
    EXPECT_EQ(secrets.with(raw(), str("admin"), keep, nullptr, &seen), CAPSTAN_E_PERMISSION);
    EXPECT_EQ(secrets.with(raw(), str("token"), nullptr, nullptr, &seen),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(seen, "s3cret");
}

TEST_F(HostContextTest, ReportsWhyASecretIsNotAvailable) {
    const auto error_of = [this](std::string_view name) {
        return Host(raw()).with_secret(name, [](std::string_view) {});
    };
    EXPECT_EQ(error_of("admin"),
              fail(ErrorCode::permission,
                   "secret admin: not granted: add it to plugin.probe.grants.secrets"));
    context = make({.http = {}, .secrets = {"other"}});
    EXPECT_EQ(error_of("other"),
              fail(ErrorCode::not_found, "secret other: there is no such secret"));
    host.secrets.reset();
    InstanceIdentity instance = identity("probe");
    instance.grants.secrets = {"token"};
    context = HostContext::make(host.environment(), instance);
    EXPECT_EQ(error_of("token"),
              fail(ErrorCode::permission, "secret token: secrets.dir is not set"));
}

TEST_F(HostContextTest, LogsThatAGrantedSecretIsMissing) {
    context = make({.http = {}, .secrets = {"other"}});
    std::string seen = "untouched";
    const auto keep = [](void* user, capstan_str) noexcept {
        static_cast<std::string*>(user)->clear();
    };
    EXPECT_EQ(service<capstan_secrets>(CAPSTAN_SERVICE_SECRETS)
                  .with(raw(), str("other"), keep, nullptr, &seen),
              CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(seen, "untouched");
    EXPECT_THAT(host.lines->text(),
                HasSubstr("warn  probe: secret other: there is no such secret"));
}

TEST_F(HostContextTest, KeepsStateWithRevisions) {
    const auto& state = service<capstan_state>(CAPSTAN_SERVICE_STATE);
    std::uint64_t revision = 0;
    EXPECT_EQ(state.put(raw(), str("k"), str("one"), 0, &revision), CAPSTAN_OK);
    EXPECT_EQ(state.put(raw(), str("k"), str("two"), 0, nullptr), CAPSTAN_E_CONFLICT);
    EXPECT_EQ(state.put(raw(), str("k"), str("two"), revision, nullptr), CAPSTAN_OK);
    std::string seen;
    const auto keep = [](void* user, capstan_str value, std::uint64_t) noexcept {
        *static_cast<std::string*>(user) = text(value);
    };
    EXPECT_EQ(state.get(raw(), str("k"), keep, &seen), CAPSTAN_OK);
    EXPECT_EQ(seen, "two");
    EXPECT_EQ(state.get(raw(), str("absent"), keep, &seen), CAPSTAN_E_NOT_FOUND);
    const std::string huge(65 << 10, 'x');
    EXPECT_EQ(state.put(raw(), str("big"), str(huge), 0, nullptr), CAPSTAN_E_QUOTA);
    EXPECT_THAT(host.lines->text(),
                HasSubstr("warn  probe: state big: " + std::to_string(huge.size()) +
                          " bytes in total exceed the limit of 65536"))
        << "the plugin learns the code alone";
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
