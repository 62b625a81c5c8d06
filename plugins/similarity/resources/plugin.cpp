#include <capstan/plugin.hpp>

#include "resources.hpp"

namespace {

class Plugin : public capstan::similarity::ResourcesCheck {
public:
    explicit Plugin(const capstan::Settings& settings)
        : ResourcesCheck(capstan::similarity::read_resources(settings)) {}
    static capstan::Schema schema() { return capstan::similarity::resources_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::similarity::check_resources(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.resources", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_SIMILARITY,
               capstan::make_class<Plugin>(
                   {.id = "resources",
                    .doc = "Two groups are similar if their nodes have the same capacity, "
                           "allocatable and free resources, within tolerances."}))
