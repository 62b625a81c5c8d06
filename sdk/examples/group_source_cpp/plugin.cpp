#include <capstan/plugin.hpp>

#include "new_group_source.hpp"

CAPSTAN_PLUGIN("example.new_group_source", "0.1.0", "Example", CAPSTAN_KIND_GROUP_SOURCE,
               capstan::make_class<NewGroupSource>(
                   {.id = "new_group_source",
                    .doc = "Suggests a group for each machine type on which a pod fits."}))
