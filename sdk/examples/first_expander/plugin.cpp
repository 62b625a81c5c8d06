#include <capstan/plugin.hpp>

#include "first_expander.hpp"

CAPSTAN_PLUGIN("example.first_expander", "0.1.0", "Example", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<FirstExpander>(
                   {.id = "first_expander",
                    .doc = "Keeps the options whose group has the most room left."}))
