#include "simulation/chaos/trial.hpp"

#include "simulation/chaos/chaos_scenario.hpp"
#include "simulation/observers.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation::chaos {

Result<Trial> run_trial(const Input& base, const Setup& setup, std::uint64_t seed,
                        Observer* beside) {
    CAPSTAN_TRY(const ChaosScenario storm,
                make_storm(base, simulated_clouds(base, setup.plugins), seed));
    const Time calm = storm.input.start + storm.storm;
    InvariantChecker witness({.start = storm.input.start, .calm = calm, .end = calm + storm.calm});
    Observers observers;
    if (beside != nullptr) observers.add(*beside);
    observers.add(witness);
    const Result<Report> report = run(storm.input, setup, observers);
    return Trial{.violations = witness.violations(),
                 .error = report ? "" : report.error().message,
                 .exposure = witness.exposure()};
}

}  // namespace capstan::simulation::chaos
