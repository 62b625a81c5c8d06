/// The cloud's own API, as it is documented: requests, replies, what its errors mean. Nothing here
/// knows what Capstan makes of them. (This one is made up; README.md says what it looks like.)
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
    /// Sets a group's target if it still is `expected`, once for each key; the target now.
    capstan::Task<int> set_target(std::string group, int target, int expected, std::string key);
    capstan::Task<void> remove_machine(std::string machine);

private:
    capstan::Task<capstan::Page<capstan::Json>> page(std::string list, std::string token);
    /// What a successful reply says; any other end is a Failure.
    capstan::Task<capstan::Json> call(capstan::HttpRequest request);
    capstan::HttpRequest authorized(capstan::HttpRequest request) const;

    capstan::Host host_;
    std::string endpoint_, token_;
    capstan::RetryingClient client_;
};

/// Throws Failure(unavailable) where there is no such count.
int count_at(const capstan::Json& json, const char* key);
/// What the host does next about a machine's error.
capstan::ErrorCode error_code_of(std::string_view word);
