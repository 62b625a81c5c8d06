/// The cloud's own REST API: addresses, replies and their errors. Nothing here knows what Capstan
/// makes of them. (This one is made up. It answers in lines of tab-separated fields, so that the
/// example shows no JSON.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/retry.hpp>
#include <capstan/task.hpp>

/// One line of a reply.
using Fields = std::vector<std::string>;

/// Its requests are repeated where that is safe; what they end with else is a Failure.
class Api {
public:
    /// `token` names the secret; its value is fetched for each request and never kept.
    Api(capstan::Host host, std::string endpoint, std::string token);

    /// GET of a list by the segments of its path; every line has at least `columns` fields.
    capstan::Task<std::vector<Fields>> list(std::vector<std::string> path, std::size_t columns);
    /// Sets a group's target if it still is `expected`; the answer is the target now.
    capstan::Task<int> set_target(std::string group, int target, int expected, std::string key);
    capstan::Task<void> remove_machine(std::string machine, std::string key);

private:
    std::string url(const std::vector<std::string>& path) const;
    /// A reply with a status from 200 to 299; any other one is a Failure.
    capstan::Task<capstan::HttpReply> request(capstan::HttpRequest request);

    capstan::Host host_;
    std::string endpoint_;
    std::string token_;
    capstan::RetryingClient client_;
};
