/// The settings as values, and their schema. Only config.cpp has the names of settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/settings.hpp>

struct GroupConfig {
    capstan::NodeGroupId id;
    int min = 0;
    int max = 0;
    int initial = 0;             ///< machines at the start
    capstan::NodeTemplate node;  ///< the template of its nodes; named like the group
    std::optional<double> price_per_hour{};
    std::optional<capstan::Duration> unneeded_time{};
};

struct Config {
    capstan::Duration boot{};  ///< from the request to the running machine
    std::string currency;
    std::vector<GroupConfig> groups;
};

capstan::Schema config_schema();
/// Rejects what the schema cannot: duplicate ids, sizes that contradict each other, a negative boot
/// time, an invalid currency.
void check_config(const capstan::Settings& settings);
Config read_config(const capstan::Settings& settings);
