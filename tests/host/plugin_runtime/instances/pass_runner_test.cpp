#include "plugin_runtime/instances/pass_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "../test_host.hpp"
#include "plugin_runtime/instances/abi_options.hpp"
#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct KeepsFirst {
    void filter(const Call& call, const ExpanderRequest& question, const Selection& keep) const {
        call.explain("the first of " + std::to_string(question.options().size()));
        keep(question.options()[0], 1.5);
    }
};

/// Hangs until the test releases it, whatever the deadline.
struct Hangs {
    void filter(const Call& call, const ExpanderRequest& question, const Selection& keep) const {
        ++entered;
        may_return.wait(false);
        saw_cancelled = call.is_cancelled();
        call.explain("much too late");
        keep(question.options()[0]);
        ++left;
        left.notify_all();
    }
    static inline std::atomic<int> entered{0};
    static inline std::atomic<int> left{0};
    static inline std::atomic<bool> may_return{false};
    static inline std::atomic<bool> saw_cancelled{false};
};

/// Two options, and how many of them an expander keeps.
struct OptionsQuestion {
    int kept = 0;
    std::vector<ScaleUpOption> options{{.group = {.id = NodeGroupId("a")}, .nodes = 1},
                                       {.group = {.id = NodeGroupId("b")}, .nodes = 1}};
    std::vector<PodEquivalenceGroup> pods{};
    AbiOptions in{options, pods, 0, std::vector<std::uint32_t>{0, 1}};
    capstan_expander_response out{
        sizeof out, 0, this,
        [](const capstan_expander_response* to, std::uint32_t, double) noexcept {
            ++static_cast<OptionsQuestion*>(to->ctx)->kept;
        }};
};

Result<int> ask_expander(const std::shared_ptr<PluginInstance>& instance, PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                instance->interface<capstan_expander>(CAPSTAN_KIND_EXPANDER));
    watch.admit(instance);
    OptionsQuestion question;
    CAPSTAN_CHECK(
        call_hook(*instance, loop::Hook::filter, {.seed = 1}, watch, [&](const capstan_call* call) {
            return loop::distrusted(table->filter)(table->self, call, &question.in.in,
                                                   &question.out);
        }));
    return question.kept;
}

services::InstanceIdentity hasty(const char* id) {
    services::InstanceIdentity out = identity(id);
    out.limits.call_deadline = 20ms;
    return out;
}

using Chain = std::vector<std::shared_ptr<PluginInstance>>;

/// A pass that calls each expander once and returns the results as text.
std::function<std::string(PassWatch&)> pass_of(const Chain& chain) {
    return [chain](PassWatch& watch) {
        std::string out;
        for (const auto& instance : chain) {
            const Result<int> kept = ask_expander(instance, watch);
            out += kept ? "kept " + std::to_string(*kept) + "; " : kept.error().message + "; ";
        }
        return out;
    };
}

struct PassRunnerTest : testing::Test {
    TestHost host;
    PassRunnerTest() {
        Hangs::entered = Hangs::left = 0;
        Hangs::may_return = Hangs::saw_cancelled = false;
    }
    /// Runs a pass whose hook times out and then returns.
    static void time_out(PluginInstance& instance) {
        Hangs::may_return = false;
        run_watched<std::string>(pass_of({instance.shared_from_this()}));
        release();
        while (instance.has_abandoned_calls()) std::this_thread::yield();
    }
    static SkippedHook timed_out(const char* id) {
        return {PluginInstanceId(id), loop::Hook::filter,
                "it did not return within its deadline of 20 ms"};
    }
    /// Lets the abandoned threads end.
    ~PassRunnerTest() override { release(); }
    static void release() {
        Hangs::may_return = true;
        Hangs::may_return.notify_all();
        while (Hangs::left < Hangs::entered) Hangs::left.wait(Hangs::left);
    }
    static void await_no_call_inside(PluginInstance& instance) {
        std::promise<void> empty;
        instance.gate().close([&] { empty.set_value(); });
        empty.get_future().wait();
    }
};

TEST_F(PassRunnerTest, ReturnsTheResultOfThePass) {
    const Running<KeepsFirst> first(host);
    const auto ended = run_watched<std::string>(pass_of({first.shared()}));
    EXPECT_EQ(ended.result, "kept 1; ");
    EXPECT_EQ(ended.reruns, 0);
    EXPECT_THAT(ended.skipped_hooks, testing::IsEmpty());
}

TEST_F(PassRunnerTest, RepeatsThePassWithoutAHangingHook) {
    const Running<KeepsFirst> first(host, identity("first"));
    Running<Hangs> hangs(host, hasty("acme"));
    const auto ended =
        run_watched<std::string>(pass_of({first.shared(), hangs.shared(), first.shared()}));
    EXPECT_EQ(ended.result,
              "kept 1; plugin acme: filter is skipped: it did not return within its deadline of 20 "
              "ms; kept 1; ");
    EXPECT_EQ(ended.reruns, 1);
    EXPECT_THAT(ended.skipped_hooks, ElementsAre(timed_out("acme")));
    EXPECT_TRUE(hangs->has_abandoned_calls());
    EXPECT_THAT(
        host.lines->text(),
        HasSubstr(
            "error acme: filter did not return within its deadline of 20 ms: skipped until that "
            "call returns; meanwhile its on_error in pipeline.scale_up.expanders applies"));
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("hook_overruns_total{hook=\"filter\",plugin=\"acme\"} 1"));
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("capstan_plugin_skipped_hooks{hook=\"filter\",plugin=\"acme\"} 1"));
    release();
    await_no_call_inside(*hangs);
    EXPECT_TRUE(Hangs::saw_cancelled);
}

TEST_F(PassRunnerTest, SkipsAHookWhoseAbandonedCallIsRunning) {
    Running<Hangs> hangs(host, hasty("acme"));
    run_watched<std::string>(pass_of({hangs.shared()}));
    const auto later = run_watched<std::string>(pass_of({hangs.shared()}));
    EXPECT_EQ(later.reruns, 0);
    EXPECT_THAT(later.skipped_hooks,
                ElementsAre(SkippedHook{PluginInstanceId("acme"), loop::Hook::filter,
                                        "an earlier call that timed out has not returned"}))
        << "a replay of that pass must skip it as well";
    EXPECT_EQ(Hangs::entered, 1);
    release();
    await_no_call_inside(*hangs);
}

TEST_F(PassRunnerTest, ReplaysARecordedSkippedHook) {
    Running<Hangs> hangs(host, hasty("acme"));
    const auto recorded = run_watched<std::string>(pass_of({hangs.shared()}));
    release();
    await_no_call_inside(*hangs);
    const Running<KeepsFirst> healthy(host, identity("acme"));
    const auto replayed =
        run_watched<std::string>(pass_of({healthy.shared()}), recorded.skipped_hooks);
    EXPECT_EQ(replayed.result, recorded.result);
    EXPECT_EQ(replayed.skipped_hooks, recorded.skipped_hooks);
}

TEST_F(PassRunnerTest, ReplaysAnInstanceThatHadNotStarted) {
    const Running<KeepsFirst> started(host, identity("acme"));
    const SkippedHook absent{PluginInstanceId("acme"), loop::Hook::start, "not started"};
    const auto replayed = run_watched<std::string>(pass_of({started.shared()}), {absent});
    EXPECT_EQ(replayed.result, "plugin acme: not called: not started; ");
    EXPECT_THAT(replayed.skipped_hooks, ElementsAre(absent));
}

TEST_F(PassRunnerTest, CallsAHookAgainAfterItsAbandonedCallReturned) {
    Running<Hangs> hangs(host, hasty("acme"));
    time_out(*hangs);
    // The log line is the last action of the thread.
    while (host.lines->text().find("called again") == std::string::npos) std::this_thread::yield();
    EXPECT_THAT(host.lines->text(), HasSubstr("deadline: called again"));
    const auto later = run_watched<std::string>(pass_of({hangs.shared()}));
    EXPECT_EQ(later.result, "kept 1; ");
    EXPECT_THAT(later.skipped_hooks, testing::IsEmpty());
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("capstan_plugin_skipped_hooks{hook=\"filter\",plugin=\"acme\"} 0"));
}

TEST_F(PassRunnerTest, BacksOffAHookAfterThreeTimeouts) {
    Running<Hangs> hangs(host, hasty("acme"));
    for (int i = 0; i < 3; ++i) time_out(*hangs);
    EXPECT_THAT(
        host.lines->text(),
        HasSubstr("until that call returns and until 00:01:01Z because of repeated timeouts; "
                  "meanwhile its on_error in pipeline.scale_up.expanders applies"));
    const SkippedHook backed_off{PluginInstanceId("acme"), loop::Hook::filter,
                                 "it timed out repeatedly; not called until 00:01:01Z"};
    EXPECT_THAT(run_watched<std::string>(pass_of({hangs.shared()})).skipped_hooks,
                ElementsAre(backed_off));
    EXPECT_EQ(skipped_hook_text(backed_off),
              "acme: filter is skipped: it timed out repeatedly; not called until 00:01:01Z; its "
              "on_error in pipeline.scale_up.expanders applies");
    host.loop.advance(1min);
    EXPECT_EQ(run_watched<std::string>(pass_of({hangs.shared()})).result, "kept 1; ");
}

TEST_F(PassRunnerTest, SurvivesSeveralHangingInstances) {
    Running<Hangs> one(host, hasty("one"));
    Running<Hangs> two(host, hasty("two"));
    const auto ended = run_watched<std::string>(pass_of({one.shared(), two.shared()}));
    EXPECT_EQ(ended.reruns, 2);
    EXPECT_THAT(ended.skipped_hooks, testing::SizeIs(2));
    release();
    await_no_call_inside(*one);
    await_no_call_inside(*two);
}

TEST_F(PassRunnerTest, DoesNotStopAnInstanceWhileItsHookHangs) {
    auto hangs = create(host, make_class<Hangs>({.id = "probe", .doc = ""}), hasty("acme")).value();
    ASSERT_TRUE(start(host, *hangs));
    run_watched<std::string>(pass_of({hangs}));
    const Result<void> stopped = stop(host, *hangs);
    EXPECT_EQ(stopped.error().message,
              "plugin acme: stop: 1 hooks, 0 tasks and 0 operations did not end in time");
    hangs = nullptr;
    release();
}

TEST_F(PassRunnerTest, StopsAnInstanceAfterALateReturn) {
    Running<Hangs> hangs(host, hasty("acme"));
    run_watched<std::string>(pass_of({hangs.shared()}));
    release();
    while (hangs->gate().inside() > 0) std::this_thread::yield();
    EXPECT_TRUE(stop(host, *hangs));
    hangs.release();
}

/// Counts the calls of the second expander.
TEST_F(PassRunnerTest, CallsNoFurtherHookInAnAbandonedPass) {
    struct Counts : KeepsFirst {
        void filter(const Call& call, const ExpanderRequest& question,
                    const Selection& keep) const {
            ++calls();
            KeepsFirst::filter(call, question, keep);
        }
        static std::atomic<int>& calls() {
            static std::atomic<int> count{0};
            return count;
        }
    };
    Running<Hangs> hangs(host, hasty("acme"));
    const Running<Counts> after(host, identity("after"));
    Counts::calls() = 0;
    run_watched<std::string>(pass_of({hangs.shared(), after.shared()}));
    release();
    await_no_call_inside(*hangs);
    EXPECT_EQ(Counts::calls(), 1) << "only by the repeated pass";
}

std::thread::id thread_of_a_pass(PassThread& thread) {
    return run_watched<std::thread::id>(thread,
                                        [](PassWatch&) { return std::this_thread::get_id(); })
        .result;
}

TEST_F(PassRunnerTest, KeepsItsThreadUntilAPassIsAbandoned) {
    Running<Hangs> hangs(host, hasty("acme"));
    PassThread thread;
    const std::thread::id first = thread_of_a_pass(thread);
    EXPECT_NE(first, std::this_thread::get_id());
    EXPECT_EQ(thread_of_a_pass(thread), first);
    EXPECT_EQ(run_watched<std::string>(thread, pass_of({hangs.shared()})).reruns, 1);
    const std::thread::id second = thread_of_a_pass(thread);
    EXPECT_NE(second, first);
    release();
    await_no_call_inside(*hangs);
    EXPECT_EQ(thread_of_a_pass(thread), second);
}

TEST_F(PassRunnerTest, ReleasesWhatAPassOwned) {
    PassThread thread;
    auto owned = std::make_shared<int>(7);
    const std::weak_ptr<int> left = owned;
    EXPECT_EQ(
        run_watched<int>(thread, [owned = std::move(owned)](PassWatch&) { return *owned; }).result,
        7);
    EXPECT_TRUE(left.expired());
}

TEST_F(PassRunnerTest, ContinuesAfterAPassThatThrew) {
    PassThread thread;
    EXPECT_THROW(run_watched<int>(thread, [](PassWatch&) -> int { throw std::logic_error("bug"); }),
                 std::logic_error);
    EXPECT_EQ(run_watched<int>(thread, [](PassWatch&) { return 7; }).result, 7);
}

TEST_F(PassRunnerTest, RethrowsExceptionsOfThePass) {
    EXPECT_THROW(run_watched<int>([](PassWatch&) -> int { throw std::logic_error("bug"); }),
                 std::logic_error);
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
