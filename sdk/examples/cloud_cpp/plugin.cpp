#include <capstan/plugin.hpp>

#include "new_cloud.hpp"

CAPSTAN_PLUGIN("example.new_cloud", "0.1.0", "Example", CAPSTAN_KIND_CLOUD,
               capstan::make_class<NewCloud>(
                   {.id = "new_cloud", .doc = "A cloud whose machines exist only in memory."}))
