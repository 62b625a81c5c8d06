#include <capstan/plugin.hpp>

#include "provisioning.hpp"

namespace {

class Plugin : public capstan::provisioning::Provisioning {
public:
    explicit Plugin(const capstan::Settings& settings)
        : Provisioning(capstan::provisioning::read_config(settings)) {}
    static capstan::Schema schema() { return capstan::provisioning::config_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::provisioning::check_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.provisioning", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_GROUP_SOURCE,
               capstan::make_class<Plugin>(
                   {.id = "provisioning",
                    .doc = "Node auto-provisioning: suggests groups for pending pods. Each group "
                           "has one machine type and labels that the pods require."}))
