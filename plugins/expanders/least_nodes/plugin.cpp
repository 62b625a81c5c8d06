#include <capstan/plugin.hpp>

#include "least_nodes.hpp"

CAPSTAN_PLUGIN("capstan.least_nodes", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<capstan::expanders::LeastNodes>(
                   {.id = "least_nodes",
                    .doc = "Keeps the options that need the fewest new nodes."}))
