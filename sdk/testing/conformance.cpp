#include <capstan/testing/conformance.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

#include "check_subject.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// "1.2.3", with "-rc.1" or "+build" behind it or not.
bool is_version(std::string_view version) {
    for (int part = 0; part < 3; ++part) {
        const std::size_t digits =
            std::min(version.find_first_not_of("0123456789"), version.size());
        if (digits == 0) return false;
        version.remove_prefix(digits);
        if (part == 2) break;
        if (version.empty() || version.front() != '.') return false;
        version.remove_prefix(1);
    }
    return version.empty() || version.front() == '-' || version.front() == '+';
}

Outcome check_entry(const capstan_entry& entry) {
    std::vector<std::string> faults;
    if (entry.magic != CAPSTAN_MAGIC) faults.emplace_back("the magic number is wrong");
    if (entry.abi_major != CAPSTAN_ABI_MAJOR)
        faults.push_back("the major version is " + std::to_string(entry.abi_major));
    if (entry.abi_minor_required > entry.abi_minor_built) {
        faults.emplace_back("the required minor version is newer than the one it was built with");
    }
    if (text(entry.plugin_id).empty()) faults.emplace_back("the plugin has no id");
    if (!is_version(text(entry.version))) {
        faults.push_back("the version \"" + std::string(text(entry.version)) +
                         "\" is not like 1.2.3");
    }
    return judged(faults);
}

Outcome check_classes(const capstan_entry& entry) {
    const capstan_class_list* const first = entry.classes();
    const capstan_class_list* const second = entry.classes();
    if (first == nullptr || first->classes.count == 0) return failed("the file has no class");
    if (second != first) return failed("classes() returned a different list the second time");
    std::vector<std::string> ids;
    for (const capstan_class& c : View<capstan_class>(first->classes)) {
        const std::string id(text(c.class_id));
        if (std::find(ids.begin(), ids.end(), id) != ids.end())
            return failed("duplicate class \"" + id + "\"");
        ids.push_back(id);
    }
    return passed();
}

Outcome check_init(const capstan_entry* entry, const std::string& file) {
    if (!CAPSTAN_HAS(entry, capstan_entry, init)) return not_applicable("the file has no init");
    for (const char* which : {"first", "second"}) {
        const capstan_status status = entry->init(str(file));
        if (status != CAPSTAN_OK) {
            return failed(std::string("the ") + which + " init returned " +
                          std::string(name_of(error_code(status))));
        }
    }
    if (!CAPSTAN_HAS(entry, capstan_entry, deinit)) return passed();
    entry->deinit();
    entry->deinit();
    return entry->classes() != nullptr ? passed()
                                       : failed("classes() returned NULL after init and deinit");
}

void append(std::string& line, std::string_view word, std::size_t width) {
    line += word;
    if (word.size() < width) line.append(width - word.size(), ' ');
    line += "  ";
}

}  // namespace

std::string_view name_of(Outcome::Verdict verdict) noexcept {
    switch (verdict) {
        case Outcome::Verdict::passed: return "passed";
        case Outcome::Verdict::failed: return "failed";
        case Outcome::Verdict::not_applicable: return "not applicable";
        case Outcome::Verdict::skipped: return "skipped";
    }
    return "failed";
}

std::vector<Check> conformance_checks(const capstan_entry& entry,
                                      const ConformanceOptions& options) {
    std::vector<Check> checks;
    const capstan_entry* const borrowed = &entry;
    checks.push_back({"file/entry", "", [borrowed] { return check_entry(*borrowed); }});
    checks.push_back({"file/classes", "", [borrowed] { return check_classes(*borrowed); }});
    checks.push_back(
        {"file/init", "", [borrowed, file = options.file] { return check_init(borrowed, file); }});
    const capstan_class_list* const list = entry.classes();
    if (list == nullptr) return checks;
    for (const capstan_class& c : View<capstan_class>(list->classes)) {
        const auto subject = std::make_shared<const Subject>(Subject{&c, options});
        add_class_checks(checks, subject);
        add_schema_checks(checks, subject);
        if (c.create == nullptr) continue;
        add_lifecycle_checks(checks, subject);
        add_service_checks(checks, subject);
        add_answer_checks(checks, subject);
        add_similarity_checks(checks, subject);
        add_cloud_checks(checks, subject);
        add_controller_checks(checks, subject);
        add_process_checks(checks, subject);
    }
    return checks;
}

CheckResult run_check(const Check& check) {
    const auto began = std::chrono::steady_clock::now();
    CheckResult result{check.name, check.class_id, {}, {}};
    try {
        result.outcome = check.run();
    } catch (const std::exception& e) {
        result.outcome = failed(std::string("exception: ") + e.what());
    } catch (...) {
        result.outcome = failed("unknown exception");
    }
    result.took = std::chrono::steady_clock::now() - began;
    return result;
}

std::vector<CheckResult> run_checks(const std::vector<Check>& checks) {
    std::vector<CheckResult> results;
    for (const Check& check : checks) results.push_back(run_check(check));
    return results;
}

std::string to_text(const std::vector<CheckResult>& results) {
    std::size_t width = 0;
    for (const CheckResult& r : results) width = std::max(width, r.class_id.size());
    std::string out;
    std::size_t counts[4] = {};
    constexpr std::string_view words[4] = {"ok", "FAIL", "n/a", "skip"};
    for (const CheckResult& r : results) {
        const auto verdict = static_cast<std::size_t>(r.outcome.verdict);
        ++counts[verdict];
        append(out, words[verdict], 4);
        append(out, r.class_id, width);
        out += r.name + (r.outcome.sentence.empty() ? "" : ": " + r.outcome.sentence) + "\n";
    }
    return out + std::to_string(counts[0]) + " passed, " + std::to_string(counts[1]) + " failed, " +
           std::to_string(counts[2]) + " not applicable" +
           (counts[3] > 0 ? ", " + std::to_string(counts[3]) + " skipped" : "") + "\n";
}

std::vector<std::string> skipped_classes(const std::vector<CheckResult>& results) {
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const CheckResult& r : results) {
        if (r.outcome.verdict != Outcome::Verdict::skipped || !seen.insert(r.class_id).second)
            continue;
        out.push_back(r.class_id + ": " + r.outcome.sentence);
    }
    return out;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
