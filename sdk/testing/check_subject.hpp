/// The class under test, and instances of it to test.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/testing/conformance.hpp>
#include <capstan/testing/plugin_instance.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

inline Outcome passed(std::string seen = {}) { return {Outcome::Verdict::passed, std::move(seen)}; }
inline Outcome failed(std::string why) { return {Outcome::Verdict::failed, std::move(why)}; }
inline Outcome not_applicable(std::string why) {
    return {Outcome::Verdict::not_applicable, std::move(why)};
}
/// There is nothing to look at here.
inline Outcome skipped(std::string why) { return {Outcome::Verdict::skipped, std::move(why)}; }
/// Passed without a complaint, else failed with the first and the number of the others.
Outcome judged(const std::vector<std::string>& complaints);

std::string describe(const Error& error);

/// The value of a secret that settings name and no test has given.
inline constexpr const char* made_up_secret = "made-up";

/// Immutable, shared by all checks of a class.
struct Subject {
    const capstan_class* of;
    ConformanceOptions options;

    std::string id() const { return std::string(text(of->class_id)); }
    std::string kind() const { return std::string(text(of->kind)); }
    bool is(std::string_view kind_id) const { return text(of->kind) == kind_id; }
    bool is_pure() const { return (of->flags & CAPSTAN_CLASS_PURE) != 0; }
    bool is_parallel() const { return of->concurrency == CAPSTAN_CONCURRENCY_PARALLEL; }

    /// What its instances are told, with made-up names for required secrets that are not given.
    /// The error says what is missing.
    Result<FakeSettings> settings() const;
};
using SubjectPtr = std::shared_ptr<const Subject>;

/// A host with one instance.
class Session {
public:
    /// `ready` has the host before the instance meets it.
    static Result<std::unique_ptr<Session>> open(const Subject& subject,
                                                 FakeHostOptions host_options = {},
                                                 const std::function<void(FakeHost&)>& ready = {});

    FakeHost& host() noexcept { return host_; }
    PluginInstance& instance() noexcept {
        CAPSTAN_ASSERT(instance_, "the session has no instance");
        return *instance_;
    }
    /// The table of its kind, or nullptr.
    const void* table() const noexcept {
        CAPSTAN_ASSERT(instance_, "the session has no instance");
        return instance_->find<void>(kind_.c_str());
    }
    template <class Table>
    const Table& table_as() const noexcept {
        return *static_cast<const Table*>(table());
    }
    /// What the instance did with operations that it must not; empty if nothing.
    std::vector<std::string> misuse() const;

private:
    explicit Session(FakeHostOptions options) : host_(std::move(options)) {}
    FakeHost host_;
    std::optional<FakeSettings> settings_;
    std::string kind_;
    std::optional<PluginInstance> instance_;
};

/// Runs a check on an instance. Skipped when there can be none: that is the business of
/// lifecycle/create.
Outcome with_instance(const Subject& subject, const std::function<Outcome(Session&)>& check);
/// The same, after `start`. Skipped when it does not start: that is the business of
/// lifecycle/start_stop.
Outcome with_started(const Subject& subject, const std::function<Outcome(Session&)>& check);

/// Adds the checks of one area.
void add_class_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_schema_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_lifecycle_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_service_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_answer_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_similarity_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_controller_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_cloud_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_process_checks(std::vector<Check>& checks, const SubjectPtr& subject);

/// A check named `name` of the subject's class.
template <class F>
void add(std::vector<Check>& checks, const SubjectPtr& subject, std::string name, F check) {
    checks.push_back(
        {std::move(name), subject->id(), [subject, check] { return check(*subject); }});
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
