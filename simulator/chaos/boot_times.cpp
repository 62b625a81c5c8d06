#include "simulator/chaos/boot_times.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <variant>

#include <capstan/duration.hpp>

#include "config/toml_values.hpp"

namespace capstan::simulator::chaos {
namespace {

using config::TomlValue;

/// The default of the key `boot` of the simulated cloud.
constexpr Duration boot_default = std::chrono::seconds(60);

Duration time_of(const TomlValue& table, std::string_view key, Duration otherwise) {
    if (table.find(key) == nullptr) return otherwise;
    return parse_duration(text_of(table, key)).value_or(otherwise);
}

void raise(Duration& longest, const TomlValue& settings, std::string_view list) {
    const TomlValue* const entries = settings.find(list);
    if (entries == nullptr) return;
    for (const TomlValue& entry : entries->children)
        longest = std::max(longest, time_of(entry, "boot", boot_default));
}

}  // namespace

Duration longest_boot(const JudgedRun& run) {
    Duration boot{0}, calls{0};
    for (const SimulatedCloud& cloud : run.clouds) {
        raise(boot, cloud.settings, "groups");
        raise(boot, cloud.settings, "machine_types");
        // A call to list the groups, one to order machines, and one to list these.
        const Duration of_cloud = 3 * time_of(cloud.settings, "latency", Duration(0)) +
                                  time_of(cloud.settings, "list_lag", Duration(0)) +
                                  time_of(cloud.settings, "refresh_every", Duration(0));
        calls = std::max(calls, of_cloud);
    }
    Duration registering = run.input.register_delay, ready = run.input.ready_delay, late{0};
    const auto consider = [&](const Registration& registration) {
        registering = std::max(registering, registration.register_delay.value_or(Duration(0)));
        ready = std::max(ready, registration.ready_delay.value_or(Duration(0)));
        late = std::max(late, registration.late_by.value_or(Duration(0)));
    };
    for (const Registration& registration : run.input.registrations) consider(registration);
    for (const Step& step : run.input.steps) {
        for (const Action& action : step.actions) {
            if (const auto* registration = std::get_if<Registration>(&action.what))
                consider(*registration);
            if (const auto* added = std::get_if<AddGroup>(&action.what))
                boot = std::max(boot, time_of(added->group, "boot", boot_default));
        }
    }
    return boot + calls + registering + ready + late;
}

}  // namespace capstan::simulator::chaos
