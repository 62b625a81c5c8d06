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
    /// `skipped`: it applies, and there was nothing to look at: no instance, no view of a cloud.
    enum class Verdict { passed, failed, not_applicable, skipped };
    Verdict verdict = Verdict::passed;
    std::string sentence{};  ///< what went wrong and where, why it was not run, or what was seen
    bool operator==(const Outcome&) const = default;
};
/// "passed", "failed", "not applicable", "skipped".
std::string_view name_of(Outcome::Verdict verdict) noexcept;

/// One promise.
struct Check {
    std::string name;      ///< "lifecycle/create"
    std::string class_id;  ///< empty: about the file as a whole
    std::function<Outcome()> run;
};

struct ConformanceOptions {
    /// By class id, what its instances are told; defaults fill in the rest, and made-up names the
    /// secrets that are required. A class that needs other settings and is given none is not
    /// checked beyond its schema.
    std::map<std::string, Value::Table, std::less<>> settings{};
    /// Readies a host for an instance of a class: HTTP replies, secrets. Requests without a reply
    /// get `unavailable`; secrets that settings name and this does not give have made-up values.
    std::function<void(FakeHost& host, std::string_view class_id)> prepare{};
    std::uint64_t seed = 1;
    /// What a host would allow a decision hook; ten times of it is too long for any request.
    Duration call_deadline = std::chrono::seconds(1);
    /// How long an expander that asks a service has; in virtual time.
    Duration service_deadline = std::chrono::seconds(5);
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
///     skip  acme         cloud/maximum: the cloud cannot be read here: unavailable: ...
///     23 passed, 1 failed, 3 not applicable, 1 skipped
std::string to_text(const std::vector<CheckResult>& results);

/// For each class of which checks were skipped, the reason of the first: "acme: the cloud cannot be
/// read here: ...". Empty: all that applies was looked at.
std::vector<std::string> skipped_classes(const std::vector<CheckResult>& results);

}  // namespace testing
CAPSTAN_NAMESPACE_END
