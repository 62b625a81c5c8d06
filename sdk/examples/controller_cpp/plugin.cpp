#include <capstan/plugin.hpp>

#include "new_controller.hpp"

CAPSTAN_PLUGIN("example.new_controller", "0.1.0", "Example", CAPSTAN_KIND_CONTROLLER,
               capstan::make_class<NewController>(
                   {.id = "new_controller", .doc = "Writes the number of nodes to a ConfigMap."}))
