/// The variables a program was started with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::kubernetes::client {

/// Handed in wherever variables decide, so that tests bring their own.
class Environment {
public:
    Environment() = default;
    explicit Environment(std::map<std::string, std::string, std::less<>> variables)
        : variables_(std::move(variables)) {}
    /// This process's own. Copies; call it before there are threads that change variables.
    static Environment of_process();

    /// Empty when unset.
    std::string get(std::string_view name) const;
    void set(std::string name, std::string value);
    /// "NAME=value" each, by name: what a new process is started with.
    std::vector<std::string> lines() const;

private:
    std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace capstan::kubernetes::client
