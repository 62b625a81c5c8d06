#include <capstan/plugin.hpp>

#include "most_pods.hpp"

CAPSTAN_PLUGIN("capstan.most_pods", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<capstan::expanders::MostPods>(
                   {.id = "most_pods", .doc = "Keeps the options that schedule the most pods."}))
