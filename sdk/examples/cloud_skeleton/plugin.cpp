#include <capstan/plugin.hpp>

#include "cloud_skeleton.hpp"

CAPSTAN_PLUGIN("example.cloud_skeleton", "0.1.0", "Example", CAPSTAN_KIND_CLOUD,
               capstan::make_class<CloudSkeleton>(
                   {.id = "cloud_skeleton", .doc = "A cloud behind a REST API, to be filled in."}))
