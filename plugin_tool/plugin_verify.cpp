#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>

#include <boost/json.hpp>

#include <capstan/duration.hpp>
#include <capstan/testing/conformance.hpp>
#include <capstan/testing/recording.hpp>

#include "commands/child_process.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "io/printable.hpp"
#include "plugin_runtime/plugin_files/library_registry.hpp"
#include "plugin_tool/http_recording.hpp"
#include "plugin_tool/plugin_program.hpp"
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

struct Verification {
    std::vector<testing::CheckResult> results;     ///< in the order they ran
    std::vector<std::string> missing_confinement;  ///< what this system could not confine
    /// No check failed; some may have been skipped.
    bool has_passed() const {
        return std::ranges::none_of(results, [](const testing::CheckResult& r) {
            return r.outcome.verdict == testing::Outcome::Verdict::failed;
        });
    }
};

/// What the checks give to instances of the file's classes.
struct VerifyInput {
    const commands::SettingsFile& settings;    ///< of the named class, or of the file's first
    std::vector<testing::Exchange> recording;  ///< answers of their requests
    std::uint64_t seed = 1;
};

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

/// Runs every check. After a check crashes or hangs, the remaining checks run in a new child; all
/// children together have five minutes. The children can change no file and reach no network
/// (confinement.hpp). An empty `class_id` means all classes.
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

/// A line for each class with skipped checks: why they were skipped, and which option to give.
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

/// {"passed":23,"failed":1,"not_applicable":3,"skipped":0,"missing_confinement":[],
/// "checks":[{"class","check","verdict","because","microseconds"}]}
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
            {"missing_confinement", json::value_from(verification.missing_confinement)},
            {"checks", std::move(checks)}};
}

struct VerifyArguments {
    std::string plugin, settings, http;
    std::uint64_t seed = 1;
    commands::OutputFormat format{};
};

int run_verify(const VerifyArguments& arguments, commands::Streams streams) {
    const commands::PluginName name = commands::parse_plugin_name(arguments.plugin);
    const auto settings = commands::read_settings(arguments.settings);
    if (!settings) return commands::refuse(streams, settings.error().message, commands::exit_usage);
    if (!settings->table) {
        streams.err << settings->diagnostics.text();
        return commands::exit_usage;
    }
    const auto file =
        plugin_runtime::plugin_files::read_plugin(commands::given_file(name.file), {});
    if (!file) return commands::refuse(streams, file.error().message, commands::exit_failed);
    auto recording = read_recording(arguments.http);
    if (!recording)
        return commands::refuse(streams, recording.error().message, commands::exit_usage);
    const VerifyInput input{*settings, *std::move(recording), arguments.seed};
    const Verification verification = verify(*file, name.class_id, input);
    const std::vector<std::string> unchecked = what_to_give(verification, input);
    if (arguments.format != commands::OutputFormat::text) {
        json::object out{{"file", file->facts.path.string()}, {"sha256", file->facts.sha256}};
        for (auto& [key, value] : to_json(verification)) out[key] = value;
        out["not_checked"] = json::value_from(unchecked);
        commands::print_value(streams, arguments.format, out);
    } else {
        streams.out << testing::to_text(verification.results);
        for (const std::string& lack : verification.missing_confinement)
            streams.err << "capstan: the checks were not fully confined: " << lack << '\n';
        for (const std::string& line : unchecked) streams.out << line << '\n';
    }
    if (!verification.has_passed()) return commands::exit_failed;
    return unchecked.empty() ? commands::exit_ok : commands::exit_unchecked;
}

}  // namespace

void add_plugin_verify(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] = commands::add_command(
        parent, action, "verify",
        "Run the conformance suite against a plugin file, in confined child processes", run_verify);
    command
        .add_option("plugin", arguments.plugin, "Plugin file, or FILE.so#CLASS to check one class")
        ->required();
    commands::add_option(command, "--settings", arguments.settings, "FILE.toml",
                         commands::settings_help);
    commands::add_option(command, "--http", arguments.http, "RECORDING", commands::http_help);
    commands::add_option(command, "--seed", arguments.seed, "N",
                         "Seed of random choices; the same seed gives the same requests")
        ->default_str("1");
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::plugin_tool
