#include <capstan/plugin.hpp>

#include "replicas.hpp"

namespace {

class Plugin : public capstan::replicas::Replicas {
public:
    Plugin(capstan::Host host, const capstan::Settings& settings)
        : Replicas(host, capstan::replicas::read_config(settings)) {}
    static capstan::Schema schema() { return capstan::replicas::config_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::replicas::check_config(settings);
    }
    capstan::Result<void> reconfigure(const capstan::Settings& settings) {
        Replicas::reconfigure(capstan::replicas::read_config(settings));
        return {};
    }
};

}  // namespace

CAPSTAN_PLUGIN(
    "capstan.replicas", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_CONTROLLER,
    capstan::make_class<Plugin>(
        {.id = "replicas",
         .doc = "The Balancer: distributes replicas over targets, by priority or in proportion, "
                "and moves them away from targets whose pods do not start."}))
