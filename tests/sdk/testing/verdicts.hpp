/// Runs the conformance suite on classes of the test itself.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/plugin.hpp>
#include <capstan/testing/conformance.hpp>

namespace capstan::testing {

/// A file with these classes. Only one may exist at a time, because `classes` of an entry takes no
/// argument.
class TestFile {
public:
    explicit TestFile(std::vector<capstan_class> classes) : classes_(std::move(classes)) {
        list_ = {sizeof list_, 0, array_of(classes_)};
        current = &list_;
    }
    TestFile(const TestFile&) = delete;

    capstan_entry entry{
        CAPSTAN_MAGIC,     sizeof(capstan_entry),
        CAPSTAN_ABI_MAJOR, CAPSTAN_ABI_MINOR_LATEST,
        CAPSTAN_ABI_MINOR, 0,
        str("acme.test"),  str("1.0.0"),
        str("Acme"),       nullptr,
        nullptr,           []() noexcept -> const capstan_class_list* { return current; }};

private:
    inline static const capstan_class_list* current = nullptr;
    std::vector<capstan_class> classes_;
    capstan_class_list list_{};
};

inline ConformanceOptions quick() {
    ConformanceOptions options;
    options.huge = 1'000;
    return options;
}

inline std::vector<CheckResult> results_of(const capstan_class& of,
                                           const ConformanceOptions& options = quick()) {
    const TestFile file({of});
    return run_checks(conformance_checks(file.entry, options));
}

/// "lifecycle/create: why" of each check that failed.
inline std::vector<std::string> failures(const std::vector<CheckResult>& results) {
    std::vector<std::string> out;
    for (const CheckResult& r : results) {
        if (r.outcome.verdict == Outcome::Verdict::failed)
            out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}
template <class T>
std::vector<std::string> failures_of(const ConformanceOptions& options = quick(),
                                     bool pure = true) {
    return failures(
        results_of(make_class<T>({.id = "test", .doc = "A test.", .pure = pure}), options));
}

/// The names of the checks with that verdict.
inline std::vector<std::string> names_with(Outcome::Verdict verdict,
                                           const std::vector<CheckResult>& results) {
    std::vector<std::string> out;
    for (const CheckResult& r : results) {
        if (r.outcome.verdict == verdict) out.push_back(r.name);
    }
    return out;
}
/// Names of the checks that do not apply.
inline std::vector<std::string> not_applicable_checks(const std::vector<CheckResult>& results) {
    return names_with(Outcome::Verdict::not_applicable, results);
}
/// Names of the checks that had nothing to check.
inline std::vector<std::string> skipped_checks(const std::vector<CheckResult>& results) {
    return names_with(Outcome::Verdict::skipped, results);
}

}  // namespace capstan::testing
