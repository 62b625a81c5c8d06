#include <capstan/plugin.hpp>

#include "new_http_cloud.hpp"

CAPSTAN_PLUGIN("example.new_http_cloud", "0.1.0", "Example", CAPSTAN_KIND_CLOUD,
               capstan::make_class<NewHttpCloud>({.id = "new_http_cloud",
                                                  .doc = "A cloud with a REST API."}))
