// What holds for controllers: reconciles that end, say the truth, change nothing twice, and nothing
// without being asked.
#include <algorithm>
#include <chrono>

#include <capstan/controller.hpp>

#include "check_subject.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

bool is_write(const KubeRequest& request) {
    return request.verb != KubeVerb::get && request.verb != KubeVerb::list && !request.dry_run;
}
std::size_t writes_of(FakeHost& host) {
    return static_cast<std::size_t>(std::ranges::count_if(host.kube().requests(), is_write));
}

Operation<Reconciled> begin(Session& session, bool is_first,
                            Duration allowed = std::chrono::minutes(1)) {
    const auto& controller = session.table_as<capstan_controller>();
    // As long as the operation is open.
    static const capstan_reconcile first{sizeof first, 1}, later{sizeof later, 0};
    return session.host().call<Reconciled>(
        [&](capstan_op op) {
            return controller.reconcile(controller.self, op, is_first ? &first : &later);
        },
        allowed);
}
Result<Reconciled> reconcile_once(Session& session, bool is_first) {
    session.host().run();
    return session.host().settle(begin(session, is_first));
}

/// One more reconcile of a cluster in which nothing happened has nothing to write.
Outcome check_reconcile(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        std::vector<std::string> faults;
        for (const bool is_first : {true, false, false, true}) {
            const std::size_t before = writes_of(session.host());
            const Result<Reconciled> done = reconcile_once(session, is_first);
            const bool is_bug = !done && (done.error().code == ErrorCode::internal ||
                                          done.error().code == ErrorCode::deadline);
            if (is_bug) return failed("reconcile: " + describe(done.error()));
            if (!done) return passed("cannot work here: " + describe(done.error()));
            if (!is_first && writes_of(session.host()) > before)
                faults.push_back("wrote again, although nothing had changed");
            for (const Error& problem : done->problems) {
                if (problem.subject.empty())
                    faults.push_back("a problem without a subject: " + problem.message);
            }
            if (done->summary.empty()) faults.push_back("no summary");
        }
        for (std::string& fault : session.misuse()) faults.push_back(std::move(fault));
        return judged(faults);
    });
}

/// A host that stands by must be able to rely on it.
Outcome check_quiet(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        session.host().advance(std::chrono::hours(1));
        const std::size_t writes = writes_of(session.host());
        return writes == 0
                   ? passed()
                   : failed("wrote " + std::to_string(writes) + " times outside a reconcile");
    });
}

Outcome check_without_cluster(const Subject& subject) {
    Subject without = subject;
    without.options.prepare = [prepare = subject.options.prepare](FakeHost& host,
                                                                  std::string_view id) {
        if (prepare) prepare(host, id);
        host.withhold(CAPSTAN_SERVICE_KUBE);
    };
    return with_instance(without, [](Session& session) {
        const auto is_bug = [](const Error& error) {
            return error.code == ErrorCode::internal || error.code == ErrorCode::deadline;
        };
        // One that says why it does not start there has said enough.
        const Result<void> started = session.instance().start();
        if (!started)
            return is_bug(started.error())
                       ? failed("start without a cluster: " + describe(started.error()))
                       : passed();
        const Result<Reconciled> done = reconcile_once(session, true);
        return !done && is_bug(done.error())
                   ? failed("reconcile without a cluster: " + describe(done.error()))
                   : passed();
    });
}

Outcome check_cancelled_reconcile(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        const auto operation = begin(session, true);
        session.host().cancel(operation.id());
        session.host().run();
        const Result<Reconciled> again = reconcile_once(session, true);
        if (!again && again.error().code == ErrorCode::deadline)
            return failed("after a cancelled reconcile: " + describe(again.error()));
        return judged(session.misuse());
    });
}

Outcome check_stop_in_reconcile(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        const auto operation = begin(session, true);
        const Result<void> stopped = session.instance().stop();
        if (!stopped) return failed("stop during a reconcile: " + describe(stopped.error()));
        if (!operation.is_done()) return failed("stop leaves a reconcile open");
        return judged(session.misuse());
    });
}

Outcome check_prompt_reconcile(const Subject& subject) {
    return with_started(subject, [&](Session& session) {
        const auto began = std::chrono::steady_clock::now();
        const auto operation = begin(session, true);
        const Duration took = std::chrono::steady_clock::now() - began;
        session.host().settle(operation);
        return took > subject.options.call_deadline ? failed("reconcile blocks the strand")
                                                    : passed();
    });
}

}  // namespace

void add_controller_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    if (!subject->is(CAPSTAN_KIND_CONTROLLER)) return;
    add(checks, subject, "controller/reconcile", check_reconcile);
    add(checks, subject, "controller/quiet", check_quiet);
    add(checks, subject, "controller/without_cluster", check_without_cluster);
    add(checks, subject, "controller/cancel", check_cancelled_reconcile);
    add(checks, subject, "controller/stop_while_busy", check_stop_in_reconcile);
    add(checks, subject, "controller/prompt", check_prompt_reconcile);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
