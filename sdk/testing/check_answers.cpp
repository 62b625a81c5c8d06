// What holds for every decision hook: answers are valid whatever is asked, in time, the same each
// time.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "check_subject.hpp"
#include "hook_requests.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

using RealClock = std::chrono::steady_clock;

std::vector<HookRequest> hook_requests_of(const Subject& subject) {
    return hook_requests(subject.kind(), subject.options.seed, subject.options.huge);
}

/// NULL: the class answers by itself. One that answers for every interface has none of them.
const capstan_async_expander* find_async_expander(Session& session) {
    if (session.instance().find<void>("capstan.unknown/1") != nullptr) return nullptr;
    return session.instance().find<capstan_async_expander>(CAPSTAN_INTERFACE_ASYNC_EXPANDER);
}

Reply put_request(const HookRequest& hook_request, Session& session, const FakeCall& call) {
    const capstan_async_expander* const service =
        hook_request.ask_service ? find_async_expander(session) : nullptr;
    return service != nullptr ? hook_request.ask_service(session.host(), *service, call)
                              : hook_request.ask(session.table(), call);
}

Duration deadline_of(Session& session, const Subject& subject) {
    return session.host().monotonic() + (find_async_expander(session) != nullptr
                                             ? subject.options.service_deadline
                                             : subject.options.call_deadline);
}

Reply put_request(const HookRequest& hook_request, Session& session, const Subject& subject) {
    FakeCall call(subject.options.seed);
    call.with_flags(CAPSTAN_CALL_VERIFY).due(deadline_of(session, subject));
    return put_request(hook_request, session, call);
}

/// All hook_requests of one form; faults are failures, errors are answers.
Outcome check_form(const Subject& subject, Form form) {
    return with_started(subject, [&](Session& session) {
        std::vector<std::string> faults;
        int asked = 0, errors = 0;
        capstan_status last = CAPSTAN_OK;
        for (const HookRequest& hook_request : hook_requests_of(subject)) {
            if (hook_request.form != form) continue;
            const Reply reply = put_request(hook_request, session, subject);
            ++asked;
            if (reply.status != CAPSTAN_OK) ++errors;
            last = reply.status;
            for (const std::string& fault : reply.faults)
                faults.push_back(hook_request.name + ": " + fault);
        }
        std::ranges::copy(session.misuse(), std::back_inserter(faults));
        if (!faults.empty() || errors == 0) return judged(faults);
        if (form == Form::sound && errors == asked && find_async_expander(session) != nullptr) {
            return skipped("its service returns only errors here: " +
                           std::string(name_of(error_code(last))));
        }
        return passed(std::to_string(errors) + " returned an error");
    });
}

std::string seconds(Duration d) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) + " ms";
}

/// A huge request is answered within ten deadlines, and soon after its caller waits no more.
Outcome check_deadline(const Subject& subject, bool is_cancelled) {
    return with_started(subject, [&](Session& session) {
        for (const HookRequest& hook_request : hook_requests_of(subject)) {
            if (hook_request.form != Form::huge) continue;
            FakeCall call(subject.options.seed);
            call.with_flags(CAPSTAN_CALL_VERIFY).due(deadline_of(session, subject));
            if (is_cancelled) call.cancel().due(session.host().monotonic());
            const auto began = RealClock::now();
            const Reply reply = put_request(hook_request, session, call);
            const Duration took = RealClock::now() - began;
            const Duration limit = 10 * subject.options.call_deadline;
            if (took > limit) {
                return failed(hook_request.name +
                              (is_cancelled ? ", cancelled at the start," : "") + " took " +
                              seconds(took) + ", more than " + seconds(limit));
            }
            if (!reply.faults.empty())
                return failed(hook_request.name + ": " + reply.faults.front());
        }
        return passed();
    });
}

/// The hook_requests that are small enough to be asked again and again.
std::vector<HookRequest> small_requests(const Subject& subject) {
    std::vector<HookRequest> all = hook_requests_of(subject);
    std::erase_if(all, [](const HookRequest& i) { return i.form == Form::huge; });
    return all;
}

std::vector<Reply> put_all(const std::vector<HookRequest>& all, Session& session,
                           const Subject& subject) {
    std::vector<Reply> out;
    for (const HookRequest& hook_request : all)
        out.push_back(put_request(hook_request, session, subject));
    return out;
}

/// The first hook_request that was answered otherwise than before.
Outcome compared(const std::vector<HookRequest>& all, const std::vector<Reply>& before,
                 const std::vector<Reply>& after, const std::string& when) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (before[i] == after[i]) continue;
        const auto shown = [](const Reply& r) {
            return r.status == CAPSTAN_OK ? r.answer.substr(0, 200)
                                          : std::string(name_of(error_code(r.status)));
        };
        return failed(all[i].name + ": different result " + when + ": " + shown(before[i]) +
                      ", then " + shown(after[i]));
    }
    return passed();
}

Outcome check_repeatable(const Subject& subject) {
    if (!subject.is_pure()) return not_applicable("the class is not declared pure");
    return with_started(subject, [&](Session& session) {
        if (find_async_expander(session) != nullptr)
            return failed("the class is declared pure but calls a service");
        const std::vector<HookRequest> all = small_requests(subject);
        const std::vector<Reply> first = put_all(all, session, subject);
        Outcome outcome = compared(all, first, put_all(all, session, subject), "the second time");
        if (outcome.verdict != Outcome::Verdict::passed) return outcome;
        session.host().advance(std::chrono::hours(24 * 30));
        outcome = compared(all, first, put_all(all, session, subject), "30 days later");
        if (outcome.verdict != Outcome::Verdict::passed) return outcome;
        auto other = Session::open(
            subject, {.instance_id = "other", .seed = 99, .start = time_from_unix_ns(0)});
        if (!other || !(*other)->instance().start())
            return failed("a second instance cannot be created or started");
        return compared(all, first, put_all(all, **other, subject), "from another instance");
    });
}

Outcome check_parallel(const Subject& subject) {
    if (!subject.is_parallel())
        return not_applicable("the class is called by only one thread at a time");
    if (!subject.is_pure())
        return not_applicable("the class is not declared pure, so results cannot be compared");
    return with_started(subject, [&](Session& session) {
        const std::vector<HookRequest> all = small_requests(subject);
        const std::vector<Reply> alone = put_all(all, session, subject);
        std::vector<std::vector<Reply>> together(8);
        std::vector<std::thread> threads;
        for (std::vector<Reply>& replies : together) {
            threads.emplace_back([&] { replies = put_all(all, session, subject); });
        }
        for (std::thread& thread : threads) thread.join();
        for (const std::vector<Reply>& replies : together) {
            Outcome outcome = compared(all, alone, replies, "while 7 other threads call it");
            if (outcome.verdict != Outcome::Verdict::passed) return outcome;
        }
        return passed();
    });
}

}  // namespace

void add_answer_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    if (hook_requests(subject->kind(), 1, 1).empty()) return;
    add(checks, subject, "answers/valid",
        [](const Subject& s) { return check_form(s, Form::sound); });
    add(checks, subject, "answers/malformed",
        [](const Subject& s) { return check_form(s, Form::malformed); });
    add(checks, subject, "answers/huge", [](const Subject& s) { return check_deadline(s, false); });
    add(checks, subject, "answers/cancelled",
        [](const Subject& s) { return check_deadline(s, true); });
    add(checks, subject, "answers/repeatable", check_repeatable);
    add(checks, subject, "answers/parallel", check_parallel);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
