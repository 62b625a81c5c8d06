/// The environment of a process for access tokens: variables, files, and servers on its network.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/fake_environment.hpp>
#include <capstan/testing/run_task.hpp>

#include "credentials/sources.hpp"
#include "credentials/token_chain.hpp"

namespace capstan::gce {

struct FakeMachine {
    testing::FakeHost host{};
    testing::FakeEnvironment environment{};
    CredentialsConfig config{};
    /// By "METHOD URL"; requests without an entry never get a response.
    std::map<std::string, testing::HttpOutcome> responses{};

    FakeMachine() {
        host.http().handle([this](const HttpRequest& request) {
            const auto found = responses.find(request.method + " " + request.url);
            return found == responses.end() ? testing::unanswered() : found->second;
        });
    }
    std::shared_ptr<TokenLookup> make_lookup() {
        return std::make_shared<TokenLookup>(
            TokenLookup{host.host(), config, &environment, environment.set});
    }
    CredentialsText text(const std::string& json) {
        return {"file \"/key.json\"", *parse_json(json)};
    }
    Result<AccessToken> ask(const std::string& json) {
        return testing::run(host, ask_with(make_lookup(), text(json), "scope-a scope-b"));
    }
    Result<AccessToken> find() {
        TokenChain chain(host.host(), config, environment);
        return testing::run(host, chain.get());
    }
    std::vector<HttpRequest> requests_to(const std::string& url) {
        std::vector<HttpRequest> out;
        for (const HttpRequest& one : host.http().requests())
            if (one.url == url) out.push_back(one);
        return out;
    }
    std::size_t count() { return host.http().requests().size(); }
};

inline std::string header_named(const HttpRequest& request, const std::string& name) {
    for (const auto& [key, value] : request.headers)
        if (key == name) return value;
    return {};
}

inline constexpr const char* oauth_url = "https://oauth2.googleapis.com/token";
inline constexpr const char* sts_token_url = "https://sts.googleapis.com/v1/token";
inline constexpr const char* metadata_token_url =
    "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token";

inline HttpReply token_response(const std::string& token, int seconds = 3600) {
    return testing::reply(200, R"({"access_token":")" + token + R"(","expires_in":)" +
                                   std::to_string(seconds) + R"(,"token_type":"Bearer"})");
}
inline HttpReply metadata_response(std::string body) {
    return testing::reply(200, std::move(body), {{"metadata-flavor", "Google"}});
}

/// A private RSA key in PEM.
const std::string& test_key();
inline std::string key_file(const std::string& more = {}) {
    std::string key;
    for (const char c : test_key()) key += c == '\n' ? std::string("\\n") : std::string(1, c);
    return R"({"type":"service_account","project_id":"shop","private_key_id":"k1","client_email":"a@shop.iam",)"
           R"("private_key":")" +
           key + "\"" + more + "}";
}

}  // namespace capstan::gce
