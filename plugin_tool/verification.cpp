#include "plugin_tool/verification.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>

#include <boost/json.hpp>

#include <capstan/duration.hpp>

#include "commands/child_process.hpp"
#include "commands/json_texts.hpp"
#include "io/printable.hpp"
#include "plugin_runtime/plugin_files/library_registry.hpp"
#include "plugin_tool/settings_table.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;
using testing::CheckResult;
using testing::Outcome;

/// How long a check may take; more than the slowest check of a plugin that keeps its deadlines.
constexpr std::chrono::seconds patience_first{12};
/// How long a check may take once another check has hung.
constexpr std::chrono::seconds patience_later{2};
/// For all children together.
constexpr std::chrono::minutes suite_deadline{5};
constexpr std::size_t sentence_max = 4096;
/// The most bytes that a plugin may print, which the suite captures in an in-memory file.
constexpr std::uint64_t printed_max = 1 << 20;

json::object begin_line(const testing::Check& check) {
    return {{"event", "begin"}, {"class", check.class_id}, {"check", check.name}};
}

json::object end_line(const CheckResult& r) {
    return {{"event", "end"},
            {"class", r.class_id},
            {"check", r.name},
            {"verdict", static_cast<int>(r.outcome.verdict)},
            {"because", r.outcome.sentence},
            {"ns", r.took.count()}};
}

struct Event {
    bool is_end = false;
    CheckResult result;
};

/// Empty: `line` is not an event of these two kinds, so the plugin's code has written it.
std::optional<Event> read_event(const json::value& line) try {
    Event out;
    out.is_end = line.at("event") == "end";
    CheckResult& r = out.result;
    const auto text = [&](const char* key) {
        return io::printable(std::string_view(line.at(key).as_string()), sentence_max);
    };
    r.name = text("check");
    r.class_id = text("class");
    if (!out.is_end) return out;
    const int verdict = line.at("verdict").to_number<int>();
    if (verdict < 0 || verdict > static_cast<int>(Outcome::Verdict::skipped)) return std::nullopt;
    r.outcome.verdict = static_cast<Outcome::Verdict>(verdict);
    r.outcome.sentence = text("because");
    r.took = Duration(line.at("ns").to_number<std::int64_t>());
    return out;
} catch (const std::exception&) {
    return std::nullopt;
}

CheckResult file_result(std::string name, Outcome::Verdict verdict, std::string sentence) {
    return {std::move(name), {}, {verdict, std::move(sentence)}, {}};
}

/// The input of the children.
struct Work {
    const plugin_runtime::plugin_files::PluginFile& file;
    plugin_runtime::plugin_files::LibraryRegistry&
        registry;  ///< has prepared the file; each child loads into its own copy
    const std::string& class_id;
    const VerifyInput& input;

    testing::ConformanceOptions options(
        const plugin_runtime::plugin_files::PluginLibrary& library) const {
        testing::ConformanceOptions out;
        out.seed = input.seed;
        out.file = file.facts.path.string();
        const auto& table = input.settings.table;
        if (table && !table->children.empty()) {
            const std::string id =
                class_id.empty() ? std::string(library.classes().front().id) : class_id;
            out.settings[id] = to_table(*table);
        }
        if (!input.recording.empty()) {
            out.prepare = [this](testing::FakeHost& host, std::string_view) {
                host.http().handle(testing::play(input.recording));
            };
        }
        return out;
    }
    bool concerns(const testing::Check& check) const {
        return class_id.empty() || check.class_id.empty() || check.class_id == class_id;
    }
};

CheckResult unload(plugin_runtime::plugin_files::LibraryRegistry& registry) {
    const plugin_runtime::plugin_files::UnloadReport report = registry.unload_unused();
    if (report.kept.empty()) return file_result("file/unloads", Outcome::Verdict::passed, "");
    return file_result("file/unloads", Outcome::Verdict::not_applicable,
                       "stays loaded: " + report.kept.front().because);
}

/// Runs in the child: all checks from index `first` on, then unloads the file.
int run_checks(const Work& work, std::size_t first, const commands::SendLine& send_line) {
    const auto send = [&](const json::object& line) { send_line(json::serialize(line)); };
    {
        const auto library = work.registry.load(work.file);
        if (!library) {
            send(end_line(
                file_result("file/loads", Outcome::Verdict::failed, library.error().message)));
            return 0;
        }
        if (first == 0) send(end_line(file_result("file/loads", Outcome::Verdict::passed, "")));
        std::size_t index = 0;
        for (const testing::Check& check :
             testing::conformance_checks((*library)->entry(), work.options(**library))) {
            if (!work.concerns(check) || index++ < first) continue;
            send(begin_line(check));
            send(end_line(testing::run_check(check)));
        }
    }
    send(begin_line({"file/unloads", {}, {}}));
    send(end_line(unload(work.registry)));
    return 0;
}

/// Runs in the parent: collects the results of one child after the other.
class ResultCollector {
public:
    void on_line(std::string_view line) {
        boost::system::error_code error;
        const json::value value = json::parse(line, error);
        std::optional<Event> event = error ? std::nullopt : read_event(value);
        if (!event) {
            is_malformed_ = true;
        } else if (event->is_end) {
            running_check_.reset();
            results_.push_back(std::move(event->result));
        } else {
            running_check_ = std::move(event->result);
        }
    }
    /// Adds the result of the check that the child died in, if any. True: another child should run
    /// the checks after it.
    bool settle(const commands::ChildEnd& end) {
        if (is_malformed_) {
            results_.push_back(
                file_result("file/speaks", Outcome::Verdict::failed,
                            "the plugin's code wrote to the pipe of the check results"));
            return false;
        }
        if (end.is_well()) return false;
        CheckResult failed_check = running_check_.value_or(CheckResult{"file/loads", {}, {}, {}});
        const bool was_check = running_check_.has_value() && failed_check.name != "file/unloads";
        running_check_.reset();
        failed_check.outcome = {Outcome::Verdict::failed, "the process " + end.story()};
        results_.push_back(std::move(failed_check));
        if (end.how != commands::ChildEnd::How::overdue) return was_check;
        results_.push_back(
            file_result("file/in_time", Outcome::Verdict::failed,
                        "the remaining checks were not run: all checks together may take " +
                            format_duration(suite_deadline)));
        return false;
    }
    /// How many of the suite's own checks have a result.
    std::size_t checks_done() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            results_, [](const CheckResult& r) { return r.name != "file/loads"; }));
    }
    std::vector<CheckResult> results() && { return std::move(results_); }

private:
    std::vector<CheckResult> results_;
    std::optional<CheckResult> running_check_;
    bool is_malformed_ = false;
};

}  // namespace

bool Verification::has_passed() const {
    return std::ranges::none_of(results, [](const CheckResult& r) {
        return r.outcome.verdict == Outcome::Verdict::failed;
    });
}

Verification verify(const plugin_runtime::plugin_files::PluginFile& file,
                    const std::string& class_id, const VerifyInput& input) {
    plugin_runtime::plugin_files::LibraryRegistry registry;
    const auto folder = registry.prepare(file);
    if (!folder)
        return {{file_result("file/loads", Outcome::Verdict::failed, folder.error().message)}, {}};
    const Work work{file, registry, class_id, input};
    commands::ChildLimits limits{
        .patience = patience_first,
        .confinement = commands::Confinement{
            .cpu = suite_deadline, .file_size = printed_max, .kept = {*folder}}};
    ResultCollector collector;
    const auto end_of_suite = std::chrono::steady_clock::now() + suite_deadline;
    std::vector<std::string> lacking;
    for (bool is_running = true; is_running;) {
        limits.deadline = std::chrono::ceil<std::chrono::milliseconds>(
            end_of_suite - std::chrono::steady_clock::now());
        const std::size_t first = collector.checks_done();
        const commands::ChildEnd end = commands::run_child(
            [&](const commands::SendLine& send) { return run_checks(work, first, send); }, limits,
            [&](std::string_view line) { collector.on_line(line); });
        if (end.how == commands::ChildEnd::How::silent) limits.patience = patience_later;
        lacking = end.lacking;
        is_running = collector.settle(end);
    }
    return {std::move(collector).results(), std::move(lacking)};
}

std::vector<std::string> what_to_give(const Verification& verification, const VerifyInput& input) {
    std::vector<std::string> out;
    std::set<std::string> without_instance;
    for (const CheckResult& r : verification.results) {
        if (r.name == "lifecycle/create" && r.outcome.verdict == Outcome::Verdict::skipped)
            without_instance.insert(r.class_id);
    }
    for (std::string& why : testing::skipped_classes(verification.results)) {
        const bool needs_settings = without_instance.contains(why.substr(0, why.find(':')));
        const char* const give =
            needs_settings ? "--settings FILE.toml with the class's settings"
            : input.recording.empty()
                ? "--http RECORDING with the responses of its API, or other --settings"
                : "a --http RECORDING with the responses to its requests";
        out.push_back("not checked: " + std::move(why) + "; use " + give);
    }
    return out;
}

json::object to_json(const Verification& verification) {
    json::array checks;
    const auto count = [&](Outcome::Verdict verdict) {
        return std::ranges::count_if(verification.results, [&](const CheckResult& r) {
            return r.outcome.verdict == verdict;
        });
    };
    for (const CheckResult& r : verification.results) {
        checks.push_back(json::object{{"class", r.class_id},
                                      {"check", r.name},
                                      {"verdict", testing::name_of(r.outcome.verdict)},
                                      {"because", r.outcome.sentence},
                                      {"microseconds", r.took.count() / 1000}});
    }
    return {{"passed", count(Outcome::Verdict::passed)},
            {"failed", count(Outcome::Verdict::failed)},
            {"not_applicable", count(Outcome::Verdict::not_applicable)},
            {"skipped", count(Outcome::Verdict::skipped)},
            {"missing_confinement", commands::array_of_texts(verification.missing_confinement)},
            {"checks", std::move(checks)}};
}

}  // namespace capstan::plugin_tool
