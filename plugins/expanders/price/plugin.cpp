#include <capstan/plugin.hpp>

#include "price.hpp"

namespace {

class Plugin : public capstan::expanders::Price {
public:
    explicit Plugin(const capstan::Settings& settings)
        : Price(capstan::expanders::read_price(settings)) {}
    static capstan::Schema schema() { return capstan::expanders::price_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::expanders::check_price(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.price", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Plugin>(
                   {.id = "price",
                    .doc = "Keeps the options with the lowest cost for the pods they run."}))
