#include "commands/simulate_chaos.hpp"

#include <unistd.h>

#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <capstan/sentence.hpp>

#include "commands/command_line.hpp"
#include "commands/simulate_report.hpp"
#include "simulation/chaos/trial.hpp"
#include "simulation/run_figures.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using simulation::chaos::Exposure;
using simulation::chaos::Violation;

/// The run of one seed; it failed if an invariant was violated or the run ended with an error.
struct SeedRun {
    std::uint64_t seed = 0;
    simulation::chaos::Trial trial{};
};

class EventPrinter final : public simulation::Observer {
public:
    explicit EventPrinter(std::ostream& out) : out_(out) {}
    void on_event(const simulation::Event& event) override { print_event(out_, event); }

private:
    std::ostream& out_;
};

class Batch {
public:
    Batch(const Simulation& simulation, const ChaosBatch& batch, Streams streams)
        : simulation_(simulation), batch_(batch), streams_(streams) {}

    int run() {
        if (is_text()) print_title(streams_.out, simulation_.input);
        for (int i = 0; i < batch_.seeds; ++i) {
            show_progress(i);
            SeedRun done = run_seed(batch_.first_seed + static_cast<std::uint64_t>(i));
            if (done.trial.is_clean()) continue;
            clear_progress();
            if (is_text()) print(done);
            failed_runs_.push_back(std::move(done));
        }
        clear_progress();
        is_text() ? print_summary() : print_json();
        return failed_runs_.empty() ? exit_ok : exit_failed;
    }

private:
    bool is_text() const { return batch_.format == OutputFormat::text; }
    std::string repeat(std::uint64_t seed) const {
        return batch_.repeat + " --seed " + std::to_string(seed);
    }

    SeedRun run_seed(std::uint64_t seed) {
        EventPrinter printer(streams_.out);
        auto trial =
            simulation::chaos::run_trial(simulation_.input,
                                         {.config = simulation_.prepared->sound_config(),
                                          .plugins = simulation_.prepared->plugins,
                                          .version = CAPSTAN_VERSION,
                                          .every_pass = batch_.every_pass},
                                         seed, is_text() && batch_.seeds == 1 ? &printer : nullptr);
        if (!trial) return {.seed = seed, .trial = {.error = trial.error().message}};
        exposure_ += trial->exposure;
        return {.seed = seed, .trial = *std::move(trial)};
    }

    void show_progress(int done) {
        if (!is_watched_ || batch_.seeds == 1) return;
        streams_.err << "\r\x1b[K" << done << " of " << counted(batch_.seeds, "seed") << ", "
                     << failed_runs_.size() << " failed" << std::flush;
    }
    void clear_progress() {
        if (is_watched_ && batch_.seeds > 1) streams_.err << "\r\x1b[K" << std::flush;
    }

    void print(const SeedRun& failure) {
        std::ostream& out = streams_.out;
        out << "\nSEED " << failure.seed << '\n';
        for (const Violation& violation : failure.trial.violations)
            out << simulation::clock_text(violation.at) << "  " << violation.invariant << ": "
                << violation.text << '\n';
        if (!failure.trial.error.empty()) out << "ended early: " << failure.trial.error << '\n';
        out << "repeat with: " << repeat(failure.seed) << '\n';
    }

    void print_summary() {
        const auto good = static_cast<std::size_t>(batch_.seeds) - failed_runs_.size();
        streams_.out << "\nCHAOS\n"
                     << good << " of " << counted(batch_.seeds, "seed")
                     << " without a violation, first seed " << batch_.first_seed << "\n"
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
        return out;
    }

    void print_json() {
        json::array failed;
        for (const SeedRun& failure : failed_runs_) failed.push_back(object_of(failure));
        const json::object counts{
            {"passes", exposure_.passes},       {"faults", exposure_.faults},
            {"restarts", exposure_.restarts},   {"increases", exposure_.increases},
            {"decreases", exposure_.decreases}, {"removals", exposure_.removals},
            {"evictions", exposure_.evictions}};
        print_value(streams_, batch_.format,
                    json::object{{"title", simulation_.input.title},
                                 {"first_seed", batch_.first_seed},
                                 {"seeds", batch_.seeds},
                                 {"failed", std::move(failed)},
                                 {"counts", counts}});
    }

    const Simulation& simulation_;
    const ChaosBatch& batch_;
    Streams streams_;
    const bool is_watched_ = ::isatty(STDERR_FILENO) == 1;
    std::vector<SeedRun> failed_runs_;
    Exposure exposure_{};
};

}  // namespace

int run_chaos(const Simulation& simulation, const ChaosBatch& batch, Streams streams) {
    return Batch(simulation, batch, streams).run();
}

}  // namespace capstan::commands
