#include "config.hpp"

namespace capstan::expanders {

Schema label_priority_schema() {
    return {{.key = "label",
             .type = SettingType::string,
             .doc = "Node label whose integer value is the group's priority.",
             .default_value = "\"zalando.org/scaling-priority\""}};
}

LabelPriorityConfig read_label_priority(const Settings& settings) {
    return {.label = settings.text("label")};
}

void check_label_priority(const Settings& settings) {
    if (settings.text("label").empty()) settings.reject("label", "must not be empty");
}

}  // namespace capstan::expanders
