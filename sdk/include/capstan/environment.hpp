/// Environment variables and small files, where cloud clients look for credentials.
///
///     static constexpr const char* names[] = {"HOME", "ACME_PROFILE"};
///     MachineEnvironment environment_{host_, names};           // a member
///     const Variables variables = co_await environment_.variables();
///     const std::string profile = find_variable(variables, "ACME_PROFILE");
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/detail/bounded_file.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

using Variables = std::map<std::string, std::string, std::less<>>;

/// [strand] An interface, so that tests can provide their own environment.
class Environment {
public:
    virtual ~Environment() = default;

    /// The requested variables that are set and not empty.
    virtual Task<Variables> variables() = 0;
    /// The content of the file. A Failure names the file: `not_found`, `permission`, or
    /// `unavailable`.
    virtual Task<std::string> read_file(std::string path) = 0;
};

namespace detail {

/// Tokens and profiles are small; a larger file is not one of them.
inline constexpr std::size_t environment_file_max = std::size_t{1} << 20;

inline std::string read_environment_file(const std::string& path) {
    return read_bounded_file(path, environment_file_max);
}

inline Variables read_variables(std::span<const char* const> names) {
    Variables out;
    for (const char* const name : names) {
        // No plugin sets variables, and the host sets none while plugins run.
        const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr && *value != '\0') out.emplace(name, value);
    }
    return out;
}

}  // namespace detail

/// The environment of the process and local files, read on a thread that may block. A file of more
/// than 1 MiB is `unavailable`.
class MachineEnvironment : public Environment {
public:
    /// `names`: the variables that `variables` looks for; must outlive this object.
    MachineEnvironment(const Host& host, std::span<const char* const> names)
        : host_(host), names_(names) {}

    Task<Variables> variables() override {
        co_return co_await blocking(host_, &detail::read_variables, names_);
    }
    Task<std::string> read_file(std::string path) override {
        co_return co_await blocking(host_, &detail::read_environment_file, std::move(path));
    }

private:
    Host host_;
    std::span<const char* const> names_;
};

/// The value of the variable; empty: it is not set.
inline std::string find_variable(const Variables& variables, std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
}

/// Whether the variable is "true", in upper or lower case.
inline bool is_switched_on(const Variables& variables, std::string_view name) {
    return lower_case(find_variable(variables, name)) == "true";
}

CAPSTAN_NAMESPACE_END
