/// The settings of the cloud and the expander as values. Only config.cpp knows the names of
/// settings.
#pragma once

#include <cstddef>
#include <string>

#include <capstan/settings.hpp>

#include "cloud_api.hpp"

namespace capstan::external_grpc {

struct CloudConfig {
    ServerAddress server{};
    std::size_t parallel_calls = 16;                   ///< at most, at the same time
    Duration refresh_every{};                          ///< zero: in each pass
    Duration details_every = std::chrono::minutes(1);  ///< templates, options and prices
    std::string currency = "USD";                      ///< of the server's prices
    OptionDefaults defaults{};
};

struct ExpanderConfig {
    ServerAddress server{};
    std::size_t request_size_max = 4 << 20;  ///< bytes; what gRPC's servers take by default
};

Schema cloud_schema();
CloudConfig read_cloud_config(const Settings& settings);
void check_cloud_config(const Settings& settings);

Schema expander_schema();
ExpanderConfig read_expander_config(const Settings& settings);
void check_expander_config(const Settings& settings);

/// Why `url` is not a valid server address; empty if it is valid.
std::string find_address_mistake(const std::string& url);

}  // namespace capstan::external_grpc
