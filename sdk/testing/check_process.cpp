// What an instance must leave as it was: the process is the host's.
#include <tuple>

#include <capstan/abi/cloud.h>

#include "check_subject.hpp"
#include "hook_requests.hpp"
#include "process_watch.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

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
        const auto& cloud = (*session)->table_as<capstan_cloud>();
        FakeHost& host = (*session)->host();
        host.settle(
            host.call<CloudView>([&](capstan_op op) { return cloud.refresh(cloud.self, op); }));
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

}  // namespace

void add_process_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "process/untouched", check_untouched);
    add(checks, subject, "process/silent", check_silent);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
