/// Variables and files of a machine that a test makes up, for code that searches for credentials.
///
///     FakeEnvironment environment;
///     environment.set["ACME_TOKEN_FILE"] = "/token";
///     environment.files["/token"] = "jwt";
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/environment.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

class FakeEnvironment : public Environment {
public:
    /// All of `set`, whatever names the client needs.
    Task<Variables> variables() override { co_return set; }
    /// The content from `files`, the error from `refused`, or else `not_found`.
    Task<std::string> read_file(std::string path) override {
        reads.push_back(path);
        const auto denied = refused.find(path);
        if (denied != refused.end()) co_return fail(denied->second);
        const auto found = files.find(path);
        if (found == files.end())
            co_return fail(ErrorCode::not_found, "\"" + path + "\": no such file");
        co_return found->second;
    }

    Variables set{};
    std::map<std::string, std::string> files{};
    std::map<std::string, Error> refused{};
    std::vector<std::string> reads{};  ///< paths, in the order in which they were read
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
