#include <capstan/plugin.hpp>

#include "config.hpp"
#include "gce_cloud.hpp"

namespace {

class Cloud : public capstan::gce::GceCloud {
public:
    Cloud(capstan::Host host, const capstan::Settings& settings)
        : GceCloud(host, capstan::gce::read_gce_config(settings)) {}
    static capstan::Schema schema() { return capstan::gce::gce_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::gce::check_gce_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.gce", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_CLOUD,
               capstan::make_class<Cloud>(
                   {.id = "gce", .doc = "Managed instance groups of Google Cloud projects."}))
