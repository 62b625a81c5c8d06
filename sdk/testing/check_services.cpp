// Hosts that lend less than everything, or have no room left.
#include <algorithm>
#include <array>
#include <functional>

#include <capstan/abi/cloud.h>
#include <capstan/abi/services.h>

#include "check_subject.hpp"
#include "hook_requests.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr std::array services{
    CAPSTAN_SERVICE_CLOCK, CAPSTAN_SERVICE_EXEC,    CAPSTAN_SERVICE_HTTP,
    CAPSTAN_SERVICE_KUBE,  CAPSTAN_SERVICE_LOG,     CAPSTAN_SERVICE_METRICS,
    CAPSTAN_SERVICE_OPS,   CAPSTAN_SERVICE_SECRETS, CAPSTAN_SERVICE_STATE};
/// Those a configuration need not grant; without the others no host is one.
constexpr std::array granted{CAPSTAN_SERVICE_HTTP, CAPSTAN_SERVICE_KUBE, CAPSTAN_SERVICE_METRICS,
                             CAPSTAN_SERVICE_SECRETS, CAPSTAN_SERVICE_STATE};
constexpr std::array bounded{CAPSTAN_SERVICE_EXEC, CAPSTAN_SERVICE_HTTP, CAPSTAN_SERVICE_KUBE,
                             CAPSTAN_SERVICE_METRICS};

/// Starts the instance, asks it something, stops it; what must not happen even in a poor host.
std::vector<std::string> faults_of_life(Session& session, const Subject& subject) {
    std::vector<std::string> faults;
    if (session.instance().start()) {
        for (const HookRequest& hook_request :
             hook_requests(subject.kind(), subject.options.seed, 10)) {
            if (hook_request.form != Form::sound) continue;
            const Reply reply = hook_request.ask(session.table(), FakeCall(subject.options.seed));
            faults.insert(faults.end(), reply.faults.begin(), reply.faults.end());
        }
        if (subject.is(CAPSTAN_KIND_CLOUD)) {
            const auto& cloud = session.table_as<capstan_cloud>();
            FakeHost& host = session.host();
            host.settle(host.call<CloudView>([&](capstan_op op) {
                return cloud.refresh(cloud.self, op, &asked_by_verify<capstan_refresh_request>);
            }));
        }
    }
    const Result<void> stopped = session.instance().stop();
    if (!stopped) faults.push_back("stop: " + describe(stopped.error()));
    for (std::string& misuse : session.misuse()) faults.push_back(std::move(misuse));
    return faults;
}

/// What goes wrong in `session` and does not in a host that lends everything: the rest is the
/// business of other checks.
std::vector<std::string> new_faults(Session& session, const Subject& subject,
                                    const std::string& when) {
    std::vector<std::string> faults = faults_of_life(session, subject);
    if (faults.empty()) return faults;
    const auto rich = Session::open(subject);
    const std::vector<std::string> usual = rich ? faults_of_life(**rich, subject) : faults;
    std::erase_if(faults, [&](const std::string& f) {
        return std::find(usual.begin(), usual.end(), f) != usual.end();
    });
    for (std::string& fault : faults) fault.insert(0, when + ": ");
    return faults;
}

Outcome check_without(const Subject& subject) {
    if (!Session::open(subject)) return skipped("no instance");
    std::vector<std::string> complaints;
    for (const char* service : services) {
        const auto session =
            Session::open(subject, {}, [&](FakeHost& host) { host.withhold(service); });
        if (!session && session.error().message.empty()) {
            complaints.push_back(std::string("without ") + service +
                                 ": create failed without an error message");
        }
        if (session) (*session)->instance().destroy();
    }
    for (const char* service : granted) {
        const auto session =
            Session::open(subject, {}, [&](FakeHost& host) { host.withhold(service); });
        if (!session || (*session)->table() == nullptr) continue;
        for (std::string& fault :
             new_faults(**session, subject, std::string("without ") + service)) {
            complaints.push_back(std::move(fault));
        }
    }
    return judged(complaints);
}

Outcome check_busy(const Subject& subject) {
    return with_instance(subject, [&](Session& session) {
        for (const char* service : bounded) session.host().overload(service);
        return judged(new_faults(session, subject, "while services are busy"));
    });
}

}  // namespace

void add_service_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "services/absent", check_without);
    add(checks, subject, "services/busy", check_busy);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
