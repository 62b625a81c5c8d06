#include "simulator/program/simulate_chaos.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <capstan/sentence.hpp>

#include "autoscaler/record/json_form.hpp"
#include "commands/command_line.hpp"
#include "commands/file_io.hpp"
#include "simulator/chaos/shortest_break.hpp"
#include "simulator/chaos/trial.hpp"
#include "simulator/program/parallel_runs.hpp"
#include "simulator/program/simulate_report.hpp"
#include "simulator/run_figures.hpp"
#include "simulator/scenario_writer.hpp"

namespace capstan::simulator::chaos {

BOOST_DESCRIBE_STRUCT(Violation, (), (at, invariant, text))
BOOST_DESCRIBE_STRUCT(Exposure, (),
                      (passes, faults, restarts, increases, decreases, removals, evictions))
BOOST_DESCRIBE_STRUCT(Trial, (), (violations, error, exposure))

}  // namespace capstan::simulator::chaos

namespace capstan::simulator::program {

struct BreakFile {
    std::string path{};
    std::size_t events = 0, events_before = 0;  ///< in the file, and in the chaos run
};
BOOST_DESCRIBE_STRUCT(BreakFile, (), (path, events, events_before))

/// The run of one seed; it failed if an invariant was violated or the run ended with an error.
struct SeedRun {
    std::uint64_t seed = 0;
    simulator::chaos::Trial trial{};
    BreakFile file{};          ///< without a path: the run failed and has no file, or did not fail
    std::string file_error{};  ///< why there is no file that breaks in the same way
};
BOOST_DESCRIBE_STRUCT(SeedRun, (), (seed, trial, file, file_error))

namespace {

namespace json = boost::json;
using simulator::chaos::Exposure;
using simulator::chaos::Violation;

simulator::Setup setup_of(const Simulation& simulation) {
    return {.config = simulation.prepared->sound_config(),
            .plugins = simulation.prepared->plugins,
            .version = CAPSTAN_VERSION};
}

/// Runs the file without chaos.
Result<void> check_break(const std::filesystem::path& file,
                         const simulator::chaos::Violation& wanted) {
    std::ostringstream complaints;
    SimulateInput input;
    input.scenario = file.string();
    const std::optional<Simulation> read = make_simulation(input, complaints);
    if (!read)
        return fail(ErrorCode::internal, file.string() + ": cannot be read: " + complaints.str());
    simulator::Observers none;
    const auto report = simulator::chaos::run_judged(read->input, setup_of(*read), none);
    const bool is_error = wanted.invariant == "error";
    const bool breaks =
        report ? std::ranges::any_of(report->unmet,
                                     [&](const simulator::Unmet& unmet) {
                                         return unmet.text.starts_with(wanted.invariant + ": ");
                                     })
               : is_error;
    if (breaks) return {};
    return fail(ErrorCode::internal, file.string() + ": does not break " + wanted.invariant);
}

/// Reduces the chaos run of that seed to the fewest events that still break the same invariant,
/// writes them as SCENARIO-seed-N.toml in `folder`, and runs that file. `repeat`: the command that
/// repeats the chaos run, for the comment at the top. Fails if the break cannot be repeated with
/// fixed times, if no scenario file can express it, if the file cannot be written, or if the file
/// does not break the invariant.
Result<BreakFile> write_break(const Simulation& simulation, std::uint64_t seed,
                              const std::filesystem::path& folder, const std::string& repeat) {
    CAPSTAN_TRY(simulator::chaos::Break found, simulator::chaos::find_shortest_break(
                                                   simulation.input, setup_of(simulation), seed));
    const simulator::chaos::Violation& violation = found.violation;
    found.input.title = violation.invariant + ": " + violation.text;
    const simulator::ScenarioExtras extras{
        .sections = simulation.sections,
        .balancers = simulation.balancers,
        .remarks = {
            "Found by: " + repeat,
            "Breaks " + violation.invariant + " at " + simulator::clock_text(violation.at) + ".",
            "Move this file to tests/scenarios/found to keep it as a test."}};
    CAPSTAN_TRY(const std::string text, simulator::write_scenario(found.input, extras));
    const std::filesystem::path file =
        folder / (std::filesystem::path(simulation.input.source).stem().string() + "-seed-" +
                  std::to_string(seed) + ".toml");
    CAPSTAN_CHECK(commands::write_file(file, text));
    CAPSTAN_CHECK(check_break(file, violation));
    return BreakFile{
        .path = file.string(), .events = found.events, .events_before = found.events_before};
}

/// The run as text between processes.
std::string text_of(const SeedRun& run) {
    autoscaler::record::JsonText out;
    autoscaler::record::write_json(out, run);
    return out.take();
}

/// `text` comes from a copy of this program that ended well.
SeedRun read_seed_run(std::uint64_t seed, const Result<std::string>& text) {
    if (!text) return {.seed = seed, .trial = {.error = text.error().message}};
    const json::value given = json::parse(*text);
    kubernetes::JsonProblems problems(given);
    return autoscaler::record::read_json<SeedRun>(problems.root());
}

class EventPrinter final : public simulator::Observer {
public:
    explicit EventPrinter(std::ostream& out) : out_(out) {}
    void on_event(const simulator::Event& event) override { print_event(out_, event); }

private:
    std::ostream& out_;
};

class Batch {
public:
    Batch(const Simulation& simulation, const ChaosBatch& batch, commands::Streams streams)
        : simulation_(simulation), batch_(batch), streams_(streams) {}

    int run() {
        if (is_text()) print_title(streams_.out, simulation_.input);
        if (const auto ran = run_seeds(); !ran) {
            clear_progress();
            return commands::refuse(streams_, ran.error().message, commands::exit_failed);
        }
        clear_progress();
        is_text() ? print_summary() : print_json();
        return failed_runs_.empty() ? commands::exit_ok : commands::exit_failed;
    }

private:
    bool is_text() const { return batch_.format == commands::OutputFormat::text; }
    bool is_single() const { return batch_.seeds == 1 && !batch_.time; }
    std::string repeat(std::uint64_t seed) const {
        return batch_.repeat + " --seed " + std::to_string(seed);
    }
    std::uint64_t seed_of(std::size_t index) const { return batch_.first_seed + index; }

    /// Whether one more seed is to be run. The first one is run in any case.
    bool has_more(std::size_t begun) const {
        if (!batch_.time) return begun < static_cast<std::size_t>(batch_.seeds);
        return begun == 0 || std::chrono::steady_clock::now() < begin_ + *batch_.time;
    }

    Result<void> run_seeds() {
        show_progress();
        if (batch_.jobs > 1 && !is_single()) {
            return run_in_parallel(
                batch_.jobs,
                {.has_more = [&](std::size_t index) { return has_more(index); },
                 .work = [&](std::size_t index) { return text_of(run_seed(seed_of(index))); },
                 .on_result =
                     [&](std::size_t index, const Result<std::string>& text) {
                         take(read_seed_run(seed_of(index), text));
                     }});
        }
        for (std::size_t i = 0; has_more(i); ++i) take(run_seed(seed_of(i)));
        return {};
    }

    void take(SeedRun done) {
        ++done_;
        exposure_ += done.trial.exposure;
        if (!done.trial.is_clean()) {
            clear_progress();
            if (is_text()) print(done);
            failed_runs_.push_back(std::move(done));
        }
        show_progress();
    }

    SeedRun run_seed(std::uint64_t seed) {
        EventPrinter printer(streams_.out);
        auto trial =
            simulator::chaos::run_trial(simulation_.input,
                                        {.config = simulation_.prepared->sound_config(),
                                         .plugins = simulation_.prepared->plugins,
                                         .version = CAPSTAN_VERSION,
                                         .every_pass = batch_.every_pass},
                                        seed, is_text() && is_single() ? &printer : nullptr);
        if (!trial) return {.seed = seed, .trial = {.error = trial.error().message}};
        SeedRun out{.seed = seed, .trial = *std::move(trial)};
        if (out.trial.is_clean() || batch_.breaks.empty()) return out;
        if (auto file = write_break(simulation_, seed, batch_.breaks, repeat(seed))) {
            out.file = *std::move(file);
        } else {
            out.file_error = file.error().message;
        }
        return out;
    }

    void show_progress() {
        if (!is_watched_ || is_single()) return;
        streams_.err << "\r\x1b[K" << done_;
        if (!batch_.time) streams_.err << " of " << counted(batch_.seeds, "seed");
        if (batch_.time) {
            const auto past =
                std::chrono::floor<std::chrono::minutes>(std::chrono::steady_clock::now() - begin_);
            streams_.err << (done_ == 1 ? " seed" : " seeds") << " in " << past.count() << " of "
                         << counted(batch_.time->count(), "minute");
        }
        streams_.err << ", " << failed_runs_.size() << " failed" << std::flush;
    }
    void clear_progress() {
        if (is_watched_ && !is_single()) streams_.err << "\r\x1b[K" << std::flush;
    }

    void print(const SeedRun& failure) {
        std::ostream& out = streams_.out;
        out << "\nSEED " << failure.seed << '\n';
        for (const Violation& violation : failure.trial.violations)
            out << simulator::clock_text(violation.at) << "  " << violation.invariant << ": "
                << violation.text << '\n';
        if (!failure.trial.error.empty()) out << "ended early: " << failure.trial.error << '\n';
        out << "repeat with: " << repeat(failure.seed) << '\n';
        if (!failure.file.path.empty())
            out << "reduced to " << failure.file.events << " of "
                << counted(failure.file.events_before, "event") << ": " << failure.file.path
                << '\n';
        if (!failure.file_error.empty()) out << "not reduced: " << failure.file_error << '\n';
    }

    void print_summary() {
        streams_.out << "\nCHAOS\n"
                     << done_ - failed_runs_.size() << " of " << counted(done_, "seed")
                     << " without a violation, first seed " << batch_.first_seed;
        if (batch_.time) streams_.out << ", last seed " << seed_of(done_ - 1);
        streams_.out << '\n'
                     << exposure_.passes << " passes checked, "
                     << counted(exposure_.faults, "fault") << ", "
                     << counted(exposure_.restarts, "restart") << '\n'
                     << counted(exposure_.increases, "increase") << ", "
                     << counted(exposure_.decreases, "decrease") << ", "
                     << counted(exposure_.removals, "machine") << " removed, "
                     << counted(exposure_.evictions, "eviction") << '\n';
    }

    json::object object_of(const SeedRun& failure) const {
        json::array violations;
        for (const Violation& violation : failure.trial.violations) {
            violations.push_back(
                json::object{{"at_ms", violation.at / std::chrono::milliseconds(1)},
                             {"invariant", violation.invariant},
                             {"text", violation.text}});
        }
        json::object out{{"seed", failure.seed},
                         {"violations", std::move(violations)},
                         {"repeat", repeat(failure.seed)}};
        out["error"] =
            failure.trial.error.empty() ? json::value() : json::value(failure.trial.error);
        out["scenario"] =
            failure.file.path.empty() ? json::value() : json::value(failure.file.path);
        return out;
    }

    void print_json() {
        json::array failed;
        for (const SeedRun& failure : failed_runs_) failed.push_back(object_of(failure));
        commands::print_value(streams_, batch_.format,
                              json::object{{"title", simulation_.input.title},
                                           {"first_seed", batch_.first_seed},
                                           {"seeds", done_},
                                           {"failed", std::move(failed)},
                                           {"counts", json::value_from(exposure_)}});
    }

    const Simulation& simulation_;
    const ChaosBatch& batch_;
    commands::Streams streams_;
    const bool is_watched_ = ::isatty(STDERR_FILENO) == 1;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::size_t done_ = 0;
    std::vector<SeedRun> failed_runs_;
    Exposure exposure_{};
};

}  // namespace

int run_chaos(const Simulation& simulation, const ChaosBatch& batch, commands::Streams streams) {
    return Batch(simulation, batch, streams).run();
}

}  // namespace capstan::simulator::program
