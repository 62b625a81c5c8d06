// What an instance must leave as it was: the process is the host's.
#include <algorithm>
#include <chrono>
#include <tuple>

#include <capstan/sentence.hpp>

#include "cloud_session.hpp"
#include "hook_requests.hpp"
#include "process_watch.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// Each call once, on the first group.
void use_cloud(CloudSession& cloud) {
    const Result<CloudView> view = cloud.refresh();
    if (!view || view->groups.empty()) return;
    const NodeGroup& group = view->groups.front();
    if (cloud.session().instance().find<void>(CAPSTAN_INTERFACE_TEMPLATES) != nullptr)
        std::ignore = cloud.describe(group.id.value());
    const Resize resize{.group = group.id,
                        .delta = 1,
                        .expected_target = group.target.value_or(0),
                        .idempotency_key = "life"};
    const Result<Resized> grown = cloud.increase(resize);
    if (grown)
        std::ignore = cloud.decrease_target(
            {.group = group.id, .delta = 1, .expected_target = grown->target});
    std::ignore = cloud.remove({.group = group.id, .machines = {MachineId("no-such-machine")}});
    std::ignore = cloud.refresh();
}

/// A whole life: made, started, asked, stopped, destroyed. What went wrong in it is the business of
/// other checks.
void live(const Subject& subject) {
    const Result<std::unique_ptr<Session>> session = Session::open(subject);
    if (!session || (*session)->table() == nullptr) return;
    if (!(*session)->instance().start()) return;
    for (const HookRequest& hook_request :
         hook_requests(subject.kind(), subject.options.seed, 100)) {
        hook_request.ask((*session)->table(), FakeCall(subject.options.seed));
    }
    if (subject.is(CAPSTAN_KIND_CLOUD)) {
        CloudSession cloud(**session);
        use_cloud(cloud);
    }
    std::ignore = (*session)->instance().stop();
}

Outcome check_untouched(const Subject& subject) {
    const ProcessWatch watch;
    live(subject);
    return judged(watch.changes());
}

Outcome check_silent(const Subject& subject) {
    StreamTrap trap;
    live(subject);
    const bool is_set = trap.is_set();
    const std::string written = trap.release();
    if (!is_set) return not_applicable("the standard streams cannot be redirected here");
    return written.empty() ? passed() : failed("wrote to standard output or error: " + written);
}

constexpr int calls_max = 100;
constexpr auto calls_time = std::chrono::milliseconds(200);
/// Growth that is allowed in an interval: the allocator's overhead, and caches that fill up.
constexpr std::int64_t growth_max = 16 << 10;

/// The calls of one pass.
void ask_once(Session& session, const Subject& subject, const std::vector<HookRequest>& hooks) {
    for (const HookRequest& hook_request : hooks) {
        if (hook_request.form == Form::sound)
            hook_request.ask(session.table(), FakeCall(subject.options.seed));
    }
    if (subject.is(CAPSTAN_KIND_CLOUD)) std::ignore = CloudSession(session).refresh();
    session.host().forget();
}

/// Calls after which neither memory nor descriptors are more than before, beyond what is held once.
Outcome check_steady(const Subject& subject) {
    return with_started(subject, [&](Session& session) {
        const auto hooks = hook_requests(subject.kind(), subject.options.seed, 10);
        if (hooks.empty() && !subject.is(CAPSTAN_KIND_CLOUD))
            return not_applicable("plugins of this kind are not called repeatedly");
        const auto until = std::chrono::steady_clock::now() + calls_time;
        int calls = 0;
        while (calls < calls_max && (calls < 10 || std::chrono::steady_clock::now() < until)) {
            ask_once(session, subject, hooks);
            ++calls;
        }
        const auto ask_again = [&] {
            const Holdings before = Holdings::now();
            for (int i = 0; i < calls; ++i) ask_once(session, subject, hooks);
            return Holdings::now() - before;
        };
        const Holdings first = ask_again(), second = ask_again();
        const std::string after = " after " + counted(calls, "call") +
                                  ", and as many again after the same number of calls";
        if (std::min(first.descriptors, second.descriptors) > 0)
            return failed(counted(second.descriptors, "more file descriptor") + " open" + after);
        if (std::min(first.bytes, second.bytes) > growth_max)
            return failed(std::to_string(second.bytes >> 10) + " KiB more memory in use" + after);
        return passed();
    });
}

}  // namespace

void add_process_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "process/untouched", check_untouched);
    add(checks, subject, "process/silent", check_silent);
    add(checks, subject, "process/steady", check_steady);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
