/// Environment variables and files, as the machine has them or as a test does.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/task.hpp>

namespace capstan::aws {

using Variables = std::map<std::string, std::string, std::less<>>;

/// [strand]
class Environment {
public:
    virtual ~Environment() = default;

    /// Those of AWS's clients, and HOME, that are set and not empty.
    virtual Task<Variables> variables() = 0;
    /// The whole file. A Failure names the file: `not_found`, `permission`, or `unavailable`.
    virtual Task<std::string> read_file(std::string path) = 0;
};

/// The process's own environment and the machine's files, read where it may block.
class MachineEnvironment : public Environment {
public:
    explicit MachineEnvironment(const Host& host) : host_(host) {}

    Task<Variables> variables() override;
    Task<std::string> read_file(std::string path) override;

private:
    Host host_;
};

/// Empty: not set.
std::string find_variable(const Variables& variables, std::string_view name);
/// Whether it is set to "true", in any case.
bool is_switched_on(const Variables& variables, std::string_view name);

}  // namespace capstan::aws
