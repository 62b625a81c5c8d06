// From create to destroy: everything an instance goes through that is not its own kind's.
#include <map>

#include <capstan/abi/cloud.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>
#include <capstan/sentence.hpp>

#include <capstan/testing/responses.hpp>

#include "check_subject.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// What is missing from the table of a kind we know.
template <class Table, class... Members>
std::vector<std::string> missing_from(const void* raw, Members... members) {
    const auto* table = static_cast<const Table*>(raw);
    if (table->struct_size < sizeof(Table))
        return {"the table's struct_size is " + std::to_string(table->struct_size)};
    if (((table->*members == nullptr) || ...)) return {"a function of the table is NULL"};
    return {};
}

std::vector<std::string> table_faults(const Subject& subject, const void* table) {
    if (table == nullptr)
        return {"interface_of returned NULL for the class's kind, " + subject.kind()};
    if (subject.is(CAPSTAN_KIND_EXPANDER))
        return missing_from<capstan_expander>(table, &capstan_expander::filter);
    if (subject.is(CAPSTAN_KIND_SIMILARITY))
        return missing_from<capstan_similarity>(table, &capstan_similarity::similar);
    if (subject.is(CAPSTAN_KIND_SPLITTER))
        return missing_from<capstan_splitter>(table, &capstan_splitter::split);
    if (subject.is(CAPSTAN_KIND_GROUP_SOURCE))
        return missing_from<capstan_group_source>(table, &capstan_group_source::suggest,
                                                  &capstan_group_source::owns);
    if (subject.is(CAPSTAN_KIND_CONTROLLER))
        return missing_from<capstan_controller>(table, &capstan_controller::reconcile);
    if (subject.is(CAPSTAN_KIND_CLOUD)) {
        return missing_from<capstan_cloud>(table, &capstan_cloud::refresh, &capstan_cloud::increase,
                                           &capstan_cloud::decrease_target, &capstan_cloud::remove);
    }
    return {};
}

/// Which secrets the instance has that are none; empty: none.
std::string made_up_secrets(FakeHost& host) {
    std::string names;
    for (const auto& [name, value] : host.secrets()) {
        if (value == made_up_secret) names += (names.empty() ? "" : ", ") + name;
    }
    return names.empty() ? names : "with made-up secrets: " + names;
}

Outcome check_create(const Subject& subject) {
    const Result<FakeSettings> settings = subject.settings();
    if (!settings) return skipped("it needs settings: " + settings.error().message);
    const Result<std::unique_ptr<Session>> session = Session::open(subject);
    if (!session) {
        const bool given = subject.options.settings.contains(subject.id());
        const std::string what = (given ? "with the given settings: " : "with its defaults: ") +
                                 describe(session.error());
        // A class may refuse its defaults in so many words; its schema would be the better place to
        // say so.
        return !given && session.error().code == ErrorCode::invalid_config ? skipped(what)
                                                                           : failed(what);
    }
    const std::uint32_t size = (*session)->instance().raw().struct_size;
    if (size < sizeof(capstan_instance))
        return failed("the instance's struct_size is " + std::to_string(size));
    const std::vector<std::string> faults = table_faults(subject, (*session)->table());
    return faults.empty() ? passed(made_up_secrets((*session)->host())) : judged(faults);
}

Outcome check_interfaces(const Subject& subject) {
    return with_instance(subject, [](Session& session) {
        const void* const table = session.table();
        for (const char* unknown :
             {"", "capstan.unknown/1", "capstan.expander/999", "capstan.expander/1 "}) {
            if (session.instance().find<void>(unknown) != nullptr) {
                return failed("interface_of returned a table for \"" + std::string(unknown) +
                              "\", which is not an interface");
            }
        }
        for (int i = 0; i < 100; ++i) {
            if (session.table() != table)
                return failed("interface_of returned a different table the second time");
        }
        return passed();
    });
}

Outcome check_hundredfold(const Subject& subject) {
    for (int i = 0; i < 100; ++i) {
        const Result<std::unique_ptr<Session>> session = Session::open(subject);
        const std::string which = "instance " + std::to_string(i + 1) + " of 100: ";
        if (!session && i == 0) return skipped("no instance: " + describe(session.error()));
        if (!session) return failed(which + describe(session.error()));
        (*session)->instance().destroy();  // neither started nor stopped
        if (!(*session)->host().run()) return failed(which + "work is scheduled endlessly");
        if (const auto misuse = (*session)->misuse(); !misuse.empty())
            return failed(which + misuse.front());
    }
    return passed();
}

Outcome check_side_by_side(const Subject& subject) {
    return with_instance(subject, [&](Session& first) {
        const Result<std::unique_ptr<Session>> second =
            Session::open(subject, {.instance_id = "other"});
        if (!second)
            return failed("a second instance next to the first: " + describe(second.error()));
        if (&first.instance().raw() == &(*second)->instance().raw())
            return failed("two creates returned the same instance");
        const void* const table = first.table();
        (*second)->instance().destroy();
        if (first.table() != table) return failed("destroying one instance changed the other");
        return passed();
    });
}

Outcome check_start_stop(const Subject& subject) {
    return with_instance(subject, [](Session& session) {
        const Result<void> started = session.instance().start();
        const Result<void> stopped = session.instance().stop();
        if (!stopped) return failed("stop: " + describe(stopped.error()));
        if (const std::size_t open = session.host().open_operations(); open > 0) {
            return failed("after stop " + counted(static_cast<std::int64_t>(open), "operation") +
                          " left open");
        }
        if (const auto misuse = session.misuse(); !misuse.empty()) return failed(misuse.front());
        if (!started && started.error().code == ErrorCode::deadline)
            return failed("start: " + describe(started.error()));
        return passed(started ? "" : "does not start here: " + describe(started.error()));
    });
}

Outcome check_stop_while_starting(const Subject& subject) {
    return with_instance(subject, [](Session& session) {
        const capstan_instance& instance = session.instance().raw();
        if (!CAPSTAN_HAS(&instance, capstan_instance, start))
            return not_applicable("the class has no start");
        const auto start = session.host().call<void>([&](capstan_op op) {
            return instance.start(instance.self, op, &asked_by_verify<capstan_start_request>);
        });
        const Result<void> stopped = session.instance().stop();
        if (!stopped) return failed("stop during start: " + describe(stopped.error()));
        if (!start.is_done()) return failed("stop left start open");
        return judged(session.misuse());
    });
}

Outcome check_self_check(const Subject& subject) {
    return with_instance(subject, [](Session& session) {
        const capstan_instance& instance = session.instance().raw();
        if (!CAPSTAN_HAS(&instance, capstan_instance, self_check))
            return not_applicable("the class has no self-check");
        const auto operation = session.host().call<void>([&](capstan_op op) {
            return instance.self_check(instance.self, op,
                                       &asked_by_verify<capstan_self_check_request>);
        });
        const Result<void>& checked = session.host().settle(operation);
        if (!checked && checked.error().code == ErrorCode::deadline)
            return failed(describe(checked.error()));
        if (!checked && checked.error().message.empty())
            return failed("failed without an error message");
        return judged(session.misuse());
    });
}

Outcome check_reconfigure(const Subject& subject) {
    return with_started(subject, [&](Session& session) {
        const capstan_instance& instance = session.instance().raw();
        if (!CAPSTAN_HAS(&instance, capstan_instance, reconfigure))
            return not_applicable("the class cannot be reconfigured");
        Result<FakeSettings> same = subject.settings();
        const FakeCall call;
        const capstan_status status = instance.reconfigure(instance.self, same->raw(), call.raw());
        if (status == CAPSTAN_OK) return judged(status_faults(status, call));
        return failed("rejected its current settings: " +
                      describe(call.failure().value_or(Error{error_code(status), ""})));
    });
}

}  // namespace

void add_lifecycle_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "lifecycle/create", check_create);
    add(checks, subject, "lifecycle/interfaces", check_interfaces);
    add(checks, subject, "lifecycle/hundredfold", check_hundredfold);
    add(checks, subject, "lifecycle/side_by_side", check_side_by_side);
    add(checks, subject, "lifecycle/start_stop", check_start_stop);
    add(checks, subject, "lifecycle/stop_while_starting", check_stop_while_starting);
    add(checks, subject, "lifecycle/self_check", check_self_check);
    add(checks, subject, "lifecycle/reconfigure", check_reconfigure);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
