#include "commands/simulate_files.hpp"

#include <optional>
#include <utility>

#include <prometheus/registry.h>

#include "commands/pass_recorder.hpp"
#include "commands/written_file.hpp"
#include "runtime/pass_metrics.hpp"
#include "runtime/services/metrics.hpp"
#include "simulation/page/page.hpp"

namespace capstan::commands {
namespace {

/// What a daemon's passes would have counted. All of it is on virtual time; nothing that was
/// measured in real time is in it, so equal runs count the same.
class Meter final : public simulation::Observer {
public:
    void on_results(const runtime::PassObservation& pass) override { metrics_.observe(pass); }
    std::string text() const { return runtime::exposition(registry_); }

private:
    prometheus::Registry registry_;
    runtime::PassMetrics metrics_{registry_};
};

}  // namespace

struct SimulateFiles::Parts {
    std::optional<simulation::Historian> historian;
    std::optional<Meter> meter;
    std::optional<PassRecorder> recorder;
};

SimulateFiles::SimulateFiles(Paths paths)
    : paths_(std::move(paths)), parts_(std::make_unique<Parts>()) {}
SimulateFiles::SimulateFiles(SimulateFiles&&) noexcept = default;
SimulateFiles::~SimulateFiles() = default;

Result<SimulateFiles> SimulateFiles::make(const Paths& paths, const Simulation& simulation) {
    SimulateFiles out(paths);
    if (!paths.report.empty()) {
        CAPSTAN_CHECK(check_writable(paths.report));
        out.parts_->historian.emplace(simulation.input.start);
    }
    if (!paths.metrics.empty()) {
        CAPSTAN_CHECK(check_writable(paths.metrics));
        out.parts_->meter.emplace();
    }
    if (!paths.record.empty()) {
        const simulation::Prepared& prepared = *simulation.prepared;
        CAPSTAN_TRY(
            out.parts_->recorder,
            PassRecorder::make(paths.record,
                               runtime::make_setup_record(*prepared.config, prepared.plugins),
                               CAPSTAN_VERSION));
    }
    return out;
}

void SimulateFiles::add_to(simulation::Observers& observers) {
    if (parts_->historian) observers.add(*parts_->historian);
    if (parts_->meter) observers.add(*parts_->meter);
    if (parts_->recorder) observers.add(*parts_->recorder);
}

Result<void> SimulateFiles::write(const simulation::Report& report,
                                  const simulation::Input& input) {
    if (parts_->historian) {
        CAPSTAN_CHECK(write_file(
            paths_.report, simulation::make_page(report, input.source,
                                                 parts_->historian->take(report.summary.span))));
    }
    if (parts_->meter) CAPSTAN_CHECK(write_file(paths_.metrics, parts_->meter->text()));
    return parts_->recorder ? parts_->recorder->result() : Result<void>();
}

}  // namespace capstan::commands
