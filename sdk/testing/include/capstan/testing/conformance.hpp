/// The promises of the boundary, as checks that run against any plugin.
///
///     for (const CheckResult& r : run_checks(conformance_checks(capstan_entry_1))) { ... }
///
/// The checks call the plugin in this process, in all the ways a host may, and in some it will not:
/// a plugin that crashes or hangs takes the caller with it. `capstan plugin verify` runs each in a
/// child process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/plugin.h>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/setting_value.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

struct Outcome {
    enum class Verdict { passed, failed, not_applicable };
    Verdict verdict = Verdict::passed;
    std::string sentence{};  ///< what went wrong and where, why it does not apply, or what was seen
    bool operator==(const Outcome&) const = default;
};
/// "passed", "failed", "not applicable".
std::string_view name_of(Outcome::Verdict verdict) noexcept;

/// One promise.
struct Check {
    std::string name;      ///< "lifecycle/create"
    std::string class_id;  ///< empty: about the file as a whole
    std::function<Outcome()> run;
};

struct ConformanceOptions {
    /// By class id, what its instances are told; defaults fill in the rest. A class that needs
    /// settings and is given none is not checked beyond its schema.
    std::map<std::string, Value::Table, std::less<>> settings{};
    /// Readies a host for an instance of a class: secrets, HTTP replies. Requests without a reply
    /// get `unavailable`.
    std::function<void(FakeHost& host, std::string_view class_id)> prepare{};
    std::uint64_t seed = 1;
    /// What a host would allow a decision hook; ten times of it is too long for any request.
    Duration call_deadline = std::chrono::seconds(1);
    std::uint32_t huge = 10'000;  ///< options, groups, labels in a huge request
    std::string file{};           ///< what `init` is told
};

/// All checks of a file, in the order they should run. They borrow the entry, whose `init` (if it
/// has one) has been called.
std::vector<Check> conformance_checks(const capstan_entry& entry,
                                      const ConformanceOptions& options = {});

struct CheckResult {
    std::string name, class_id;
    Outcome outcome;
    Duration took{};  ///< real time
};

/// Runs them one after another. An exception out of a check is its failure.
CheckResult run_check(const Check& check);
std::vector<CheckResult> run_checks(const std::vector<Check>& checks);

/// A line for each, and a last one with the numbers:
///     ok    least_waste  lifecycle/create
///     FAIL  least_waste  answers/valid: one option: kept option 7 of 1
///     n/a   least_waste  parallel: the class is called by one thread at a time
///     23 passed, 1 failed, 3 not applicable
std::string to_text(const std::vector<CheckResult>& results);

}  // namespace testing
CAPSTAN_NAMESPACE_END
