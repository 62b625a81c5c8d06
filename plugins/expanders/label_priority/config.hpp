/// The settings of label_priority as values, and their schema.
#pragma once

#include <string>

#include <capstan/settings.hpp>

namespace capstan::expanders {

struct LabelPriorityConfig {
    std::string label =
        "zalando.org/scaling-priority";  ///< the label of the node template that holds the priority
};

Schema label_priority_schema();
LabelPriorityConfig read_label_priority(const Settings& settings);
void check_label_priority(const Settings& settings);

}  // namespace capstan::expanders
