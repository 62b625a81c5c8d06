/// The client of the cloud's own API: requests, replies, the meaning of errors. It is independent
/// of Capstan's types for clouds. (This API is made up; README.md describes it.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/json.hpp>
#include <capstan/pages.hpp>
#include <capstan/retry.hpp>
#include <capstan/task.hpp>

class Api {
public:
    /// `token` names the secret; its value is fetched for each attempt and never kept.
    Api(capstan::Host host, std::string endpoint, std::string token);

    /// All pages of a list: "groups" or "machines".
    capstan::Task<std::vector<capstan::Json>> list(std::string what);
    /// Sets a group's target if it still is `expected`, once for each key. Returns the target.
    capstan::Task<int> set_target(std::string group, int target, int expected, std::string key);
    capstan::Task<void> remove_machine(std::string machine);

private:
    capstan::Task<capstan::Page<capstan::Json>> page(std::string list, std::string token);
    /// The body of a successful reply; throws a Failure for any other outcome.
    capstan::Task<capstan::Json> call(capstan::HttpRequest request);
    capstan::HttpRequest authorized(capstan::HttpRequest request) const;

    capstan::Host host_;
    std::string endpoint_, token_;
    capstan::RetryingClient client_;
};

/// Throws Failure(unavailable) if the number is missing or out of range.
int count_at(const capstan::Json& json, const char* key);
/// The code for the error of a machine.
capstan::ErrorCode error_code_of(std::string_view word);
