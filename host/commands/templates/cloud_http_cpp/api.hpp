/// The cloud's own API, as it is documented: requests, replies, what its errors mean. Nothing here
/// knows what Capstan makes of them. (This one is made up; README.md says what it looks like.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/json.hpp>
#include <capstan/task.hpp>

class Api {
public:
    /// `token` names the secret; its value is fetched for each request and never kept.
    Api(capstan::Host host, std::string endpoint, std::string token);

    /// All pages of a list: "groups" or "machines".
    capstan::Task<std::vector<capstan::Json>> list(std::string what) const;
    /// Sets a group's target if it still is `expected`, once for each key; the target now.
    capstan::Task<int> set_target(std::string group, int target, int expected,
                                  std::string key) const;
    capstan::Task<void> remove_machine(std::string machine) const;

private:
    /// What a reply with a status from 200 to 299 says; any other end is a Failure. All requests
    /// may be repeated without a second effect, so those that met a busy or unreachable API are.
    capstan::Task<capstan::Json> call(capstan::HttpRequest request) const;
    capstan::Duration pause_before(int attempt, const capstan::Error& error) const;

    capstan::Host host_;
    std::string endpoint_, token_;
};

/// What the host does next about a reply with that status, or an error with that word.
capstan::ErrorCode error_code_of(int http_status);
capstan::ErrorCode error_code_of(std::string_view word);
