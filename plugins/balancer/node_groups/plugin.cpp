#include <capstan/plugin.hpp>

#include "node_groups.hpp"

CAPSTAN_PLUGIN(
    "capstan.node_groups", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_SPLITTER,
    capstan::make_class<capstan::balancer::NodeGroups>(
        {.id = "node_groups",
         .doc =
             "Distributes new nodes so that similar groups end up as equal in size as possible."}))
