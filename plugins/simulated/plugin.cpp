#include <capstan/plugin.hpp>

#include "simulated.hpp"

namespace {

class Plugin : public capstan::simulated::Simulated {
public:
    Plugin(capstan::Host host, const capstan::Settings& settings)
        : Simulated(host, capstan::simulated::read_config(settings)) {}
    static capstan::Schema schema() { return capstan::simulated::config_schema(); }
    capstan::Result<void> reconfigure(const capstan::Settings& settings) {
        Simulated::reconfigure(capstan::simulated::read_config(settings));
        return {};
    }
    static void check(const capstan::Settings& settings) {
        capstan::simulated::check_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN(
    "capstan.simulated", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_CLOUD,
    capstan::make_class<Plugin>(
        {.id = "simulated",
         .doc = "A simulated cloud whose groups and faults are set in the configuration."}))
