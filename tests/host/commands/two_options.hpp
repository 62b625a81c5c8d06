/// An expander request: a pod that fits on a big and on a small node.
#pragma once

namespace capstan::commands {

inline const char* const two_options = R"({"seed": 1, "options": [
    {"group": {"id": "big"}, "nodes": 1, "template": {"name": "big", "capacity": {"cpu": "16", "memory": "64Gi"}}, "pods": [0]},
    {"group": {"id": "small"}, "nodes": 1, "template": {"name": "small", "capacity": {"cpu": "4", "memory": "16Gi"}}, "pods": [0]}],
    "pods": [{"metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "c", "resources": {"requests": {"cpu": "3", "memory": "12Gi"}}}]}}]})";

}  // namespace capstan::commands
