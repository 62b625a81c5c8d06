/// The cloud's own REST API: addresses, replies and their errors. Nothing here knows what Capstan
/// makes of them. (This one is made up. It answers in lines of tab-separated fields, so that the
/// example needs no JSON library.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/task.hpp>

/// One line of a reply.
using Fields = std::vector<std::string>;

class Api {
public:
    /// `token` names the secret; its value is fetched for each request and never kept.
    Api(capstan::Host host, std::string endpoint, std::string token);

    /// GET; every line has at least `columns` fields.
    capstan::Task<std::vector<Fields>> list(std::string path, std::size_t columns) const;
    /// Sets a group's target if it still is `expected`; the answer is the target now.
    capstan::Task<int> set_target(std::string group, int target, int expected,
                                  std::string key) const;
    capstan::Task<void> remove_machine(std::string machine, std::string key) const;

private:
    /// A reply with a status from 200 to 299; any other one is a Failure.
    capstan::Task<capstan::HttpReply> request(capstan::HttpRequest request) const;

    capstan::Host host_;
    std::string endpoint_;
    std::string token_;
};

/// What the host does next about a reply with that status.
capstan::ErrorCode error_code_of(int http_status);
/// `text` as one part of a path: everything but letters, digits and "-._~" as %XX.
std::string path_part(std::string_view text);
