/// The promises of the boundary, as checks that run against any plugin.
///
///     for (const CheckResult& r : run_checks(conformance_checks(capstan_entry_1))) { ... }
///
/// The checks call the plugin in this process, in all ways that a host may, and in some that it
/// does not. If the plugin crashes or hangs, so does the caller. `capstan plugin verify` runs each
/// check in a child process.
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
    /// `skipped`: the check applies, but something that it needs is missing: an instance, or a view
    /// of the cloud.
    enum class Verdict { passed, failed, not_applicable, skipped };
    Verdict verdict = Verdict::passed;
    std::string sentence{};  ///< what went wrong and where, why it was not run, or what was seen
    bool operator==(const Outcome&) const = default;
};
/// "passed", "failed", "not applicable", "skipped".
std::string_view name_of(Outcome::Verdict verdict) noexcept;

/// The check of one promise.
struct Check {
    std::string name;      ///< "lifecycle/create"
    std::string class_id;  ///< empty: about the file as a whole
    std::function<Outcome()> run;
};

struct ConformanceOptions {
    /// By class id, the settings of its instances. Other settings have their defaults, and required
    /// secrets have made-up names. If another required setting is missing here, the class has no
    /// instances, and only its description and its schema are checked.
    std::map<std::string, Value::Table, std::less<>> settings{};
    /// Prepares a host for an instance of a class: HTTP replies, secrets. Requests for which it
    /// arranges no reply end as `unavailable`. Secrets that the settings name and that it does not
    /// set have made-up values.
    std::function<void(FakeHost& host, std::string_view class_id)> prepare{};
    std::uint64_t seed = 1;
    /// The deadline of a decision hook in a host. A huge request may take ten times as long.
    Duration call_deadline = std::chrono::seconds(1);
    /// The deadline of an expander that asks a service, in virtual time.
    Duration service_deadline = std::chrono::seconds(5);
    std::uint32_t huge = 10'000;  ///< options, groups, labels in a huge request
    std::string file{};           ///< the path that `init` gets
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

/// Runs the checks one after another. A check that throws has failed.
CheckResult run_check(const Check& check);
std::vector<CheckResult> run_checks(const std::vector<Check>& checks);

/// A line for each, and a last one with the numbers:
///     ok    least_waste  lifecycle/create
///     FAIL  least_waste  answers/valid: one option: kept option 7 of 1
///     n/a   least_waste  answers/parallel: the class is called by only one thread at a time
///     skip  acme         cloud/maximum: the cloud cannot be read here: unavailable: ...
///     23 passed, 1 failed, 3 not applicable, 1 skipped
std::string to_text(const std::vector<CheckResult>& results);

/// For each class with skipped checks, the reason of the first one: "acme: the cloud cannot be read
/// here: ...". Empty: no check was skipped.
std::vector<std::string> skipped_classes(const std::vector<CheckResult>& results);

}  // namespace testing
CAPSTAN_NAMESPACE_END
