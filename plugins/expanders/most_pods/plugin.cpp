#include <capstan/plugin.hpp>

#include "most_pods.hpp"

CAPSTAN_PLUGIN("capstan.most_pods", "1.0.0", "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<capstan::expanders::MostPods>(
                   {.id = "most_pods", .doc = "Keeps the options that schedule the most pods."}))
