#include <capstan/plugin.hpp>

#include "random.hpp"

CAPSTAN_PLUGIN("capstan.random", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<capstan::expanders::Random>(
                   {.id = "random",
                    .doc = "Keeps one option, chosen at random with equal probability."}))
