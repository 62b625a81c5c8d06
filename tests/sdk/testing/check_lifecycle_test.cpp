// Checks of the conformance suite for the life cycle of instances and their effects on the process.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include <capstan/plugin.hpp>
#include <capstan/testing/conformance.hpp>

#include "verdicts.hpp"

namespace {

using namespace std::chrono_literals;
using capstan::Call;
using capstan::ErrorCode;
using capstan::ExpanderRequest;
using capstan::Host;
using capstan::Result;
using capstan::Selection;
using capstan::Settings;
using capstan::Task;
using capstan::testing::failures;
using capstan::testing::failures_of;
using capstan::testing::results_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// An expander that keeps nothing; the tests are about its other functions.
struct Nothing {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

TEST(LifecycleChecks, FindAClassThatCannotBeCreated) {
    struct Broken : Nothing {
        Broken() { throw std::runtime_error("vector::at"); }
    };
    EXPECT_THAT(failures_of<Broken>(),
                ElementsAre("lifecycle/create: with its defaults: internal: vector::at"));
}

TEST(LifecycleChecks, FindAnInstanceThatHasEveryInterface) {
    struct Obliging {
        static const void* interface_of(void* self, const char*) noexcept {
            return &static_cast<capstan::detail::Holder<Nothing>*>(self)->tables.table;
        }
        static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                                     const capstan_call* call,
                                     const capstan_instance** out) noexcept {
            return capstan::detail::guarded(call, [&] {
                auto* holder = new capstan::detail::Holder<Nothing>(host, Settings(*settings));
                holder->instance.interface_of = &interface_of;
                *out = &holder->instance;
            });
        }
    };
    capstan_class of =
        capstan::make_class<Nothing>({.id = "obliging", .doc = "Answers for everything."});
    of.create = &Obliging::create;
    EXPECT_THAT(failures(results_of(of)),
                ElementsAre(StartsWith("lifecycle/interfaces: interface_of returned a table for")));
}

TEST(LifecycleChecks, FindACreateWithoutAnInstance) {
    capstan_class of = capstan::make_class<Nothing>({.id = "empty", .doc = "Leaves nothing."});
    of.create = [](const capstan_host*, const capstan_settings*, const capstan_call*,
                   const capstan_instance**) noexcept { return capstan_status(CAPSTAN_OK); };
    EXPECT_THAT(failures(results_of(of)),
                ElementsAre(HasSubstr("create succeeded and left no instance")));
}

TEST(LifecycleChecks, FindAnInstanceThatCannotStop) {
    struct CannotStop : Nothing {
        Result<void> stop() { return capstan::fail(ErrorCode::busy, "still writing"); }
    };
    EXPECT_THAT(failures_of<CannotStop>(),
                Contains("lifecycle/start_stop: stop: busy: still writing"));
}

TEST(LifecycleChecks, FindAStartThatNeverEnds) {
    struct Forever : Nothing {
        Host host;
        Forever(Host lent, const Settings&) : host(lent) {}
        Task<void> start() {
            for (;;) co_await capstan::sleep_for(host, 1h);
        }
    };
    EXPECT_THAT(failures_of<Forever>(),
                ElementsAre(StartsWith("lifecycle/start_stop: start: deadline")));
}

TEST(LifecycleChecks, FindAnInstanceThatRejectsItsCurrentSettings) {
    struct Rigid : Nothing {
        Result<void> reconfigure(const Settings&) {
            return capstan::fail(ErrorCode::invalid_config, "no");
        }
    };
    EXPECT_THAT(
        failures_of<Rigid>(),
        ElementsAre("lifecycle/reconfigure: rejected its current settings: invalid_config: no"));
}

TEST(LifecycleChecks, FindASelfCheckWithoutAReason) {
    struct Silent : Nothing {
        Result<void> self_check() { return capstan::fail(ErrorCode::permission, ""); }
    };
    EXPECT_THAT(failures_of<Silent>(),
                ElementsAre("lifecycle/self_check: failed without an error message"));
}

TEST(LifecycleChecks, AcceptACorrectClass) {
    struct Thorough : Nothing {
        Host host;
        Thorough(Host lent, const Settings&) : host(lent) {}
        Task<void> start() { co_await capstan::sleep_for(host, 1s); }
        Task<void> stop() { co_return; }
        Task<void> self_check() {
            co_await capstan::blocking(host, [] {});
        }
        void reconfigure(const Settings&) {}
    };
    EXPECT_THAT(failures_of<Thorough>(), IsEmpty());
}

TEST(ProcessChecks, FindWritesToStandardOutput) {
    struct Loud {
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {
            std::printf("asked\n");
        }
    };
    ::testing::internal::CaptureStdout();
    const auto found = failures_of<Loud>();
    ::testing::internal::GetCapturedStdout();
    EXPECT_THAT(
        found, ElementsAre(StartsWith("process/silent: wrote to standard output or error: asked")));
}

TEST(ProcessChecks, FindAChangedWorkingDirectoryAndEnvironment) {
    struct Restless : Nothing {
        Restless() {
            const std::filesystem::path here = std::filesystem::current_path();
            std::filesystem::current_path(here == "/" ? "/usr" : "/");
            ::setenv("RESTLESS", here.c_str(), 1);
        }
    };
    const std::filesystem::path before = std::filesystem::current_path();
    const auto found = failures_of<Restless>();
    std::filesystem::current_path(before);
    ::unsetenv("RESTLESS");
    EXPECT_THAT(found, ElementsAre(StartsWith("process/untouched: the working directory changed")));
}

TEST(ProcessChecks, FindAThreadThatKeepsRunning) {
    std::jthread([] {}).join();  // with the first thread, a sanitizer starts one of its own
    static std::optional<std::jthread> kept;
    struct Keeper : Nothing {
        Keeper() {
            if (!kept) {
                kept.emplace([](std::stop_token stop) {
                    std::atomic<bool> stopped = false;
                    const std::stop_callback wake(stop, [&] {
                        stopped = true;
                        stopped.notify_all();
                    });
                    stopped.wait(false);
                });
            }
        }
    };
    const auto of = capstan::make_class<Keeper>({.id = "keeper", .doc = "Keeps a thread."});
    const capstan::testing::TestFile file({of});
    for (const auto& check : conformance_checks(file.entry, capstan::testing::quick())) {
        if (check.name != "process/untouched") continue;
        EXPECT_EQ(run_check(check).outcome.sentence, "1 thread left running");
    }
    kept.reset();
}

}  // namespace
