/// Settings of tests, and the results of reading them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/fake_settings.hpp>

#include "config.hpp"

namespace capstan::simulated {

using Members = testing::Value::Table;

/// A machine with 4 cores and 16 GiB. `more` adds members to the table.
inline testing::Value machine(const Members& more = {}) {
    Members members{{"cpu", "4"}, {"memory", "16Gi"}};
    members.insert(members.end(), more.begin(), more.end());
    return members;
}

/// The group "web" of machines as made by `machine`. `more` adds members to the group's table.
inline Members web(const Members& more = {}) {
    Members members{{"id", "web"}, {"machine", machine()}};
    members.insert(members.end(), more.begin(), more.end());
    return members;
}

inline testing::FakeSettings settings_with(const std::vector<Members>& groups) {
    testing::FakeSettings settings(config_schema());
    settings.set("groups", testing::Value::List(groups.begin(), groups.end()));
    return settings;
}

inline Config configured(const std::vector<Members>& groups) {
    testing::FakeSettings settings = settings_with(groups);
    return read_config(settings.view());
}

inline std::vector<testing::Rejection> rejections(testing::FakeSettings settings) {
    check_config(settings.view());
    return settings.rejections();
}

}  // namespace capstan::simulated
