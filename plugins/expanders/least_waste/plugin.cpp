#include <capstan/plugin.hpp>

#include "least_waste.hpp"

namespace {

class Plugin : public capstan::expanders::LeastWaste {
public:
    explicit Plugin(const capstan::Settings& settings)
        : LeastWaste(capstan::expanders::read_least_waste(settings)) {}
    static capstan::Schema schema() { return capstan::expanders::least_waste_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::expanders::check_least_waste(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.least_waste", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Plugin>(
                   {.id = "least_waste",
                    .doc = "Keeps the options whose new nodes waste the least resources."}))
