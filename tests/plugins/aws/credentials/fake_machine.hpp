/// The environment of a process for credentials: variables, files, and servers on its network.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/fake_environment.hpp>
#include <capstan/testing/run_task.hpp>
#include <capstan/time_text.hpp>

#include "credentials/sources.hpp"

namespace capstan::aws {

inline std::string header_named(const HttpRequest& request, const std::string& name) {
    for (const auto& [key, value] : request.headers) {
        if (key == name) return value;
    }
    return {};
}

struct FakeMachine {
    testing::FakeHost host{};
    testing::FakeEnvironment environment{};
    CredentialsConfig config{.region = "eu-central-1"};
    /// By "METHOD URL"; requests without an entry never get a response.
    std::map<std::string, testing::HttpOutcome> responses{};

    FakeMachine() {
        host.http().handle([this](const HttpRequest& request) {
            const auto found = responses.find(request.method + " " + request.url);
            return found == responses.end() ? testing::unanswered() : found->second;
        });
    }
    std::shared_ptr<CredentialLookup> make_lookup() {
        return std::make_shared<CredentialLookup>(
            CredentialLookup{host.host(), config, &environment, environment.set});
    }
    template <class Ask>
    Result<SourceAnswer> ask(Ask source) {
        return testing::run(host, source(make_lookup()));
    }
    std::vector<HttpRequest> requests_to(const std::string& url) {
        std::vector<HttpRequest> out;
        for (const HttpRequest& one : host.http().requests()) {
            if (one.url == url) out.push_back(one);
        }
        return out;
    }
};

inline constexpr const char* sts_url = "https://sts.eu-central-1.amazonaws.com/";

/// The response of STS to `action`, with keys named after `name` that expire at `expires`.
inline HttpReply sts_response(const std::string& action, const std::string& name, Time expires) {
    return testing::reply(
        200, "<" + action + "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" +
                 action + "Result><Credentials><AccessKeyId>ASIA" + name +
                 "</AccessKeyId><SecretAccessKey>secret-" + name +
                 "</SecretAccessKey><SessionToken>token-" + name + "</SessionToken><Expiration>" +
                 format_rfc3339(expires) + "</Expiration></Credentials></" + action + "Result></" +
                 action + "Response>");
}

inline std::string served_json(const std::string& name, const std::string& expiration) {
    return R"({"Code":"Success","AccessKeyId":"ASIA)" + name + R"(","SecretAccessKey":"secret-)" +
           name + R"(","Token":"token-)" + name + R"(","Expiration":")" + expiration + R"("})";
}

inline constexpr const char* metadata_base = "http://169.254.169.254/latest";

/// Serves the metadata of an instance with the role "node", with keys named after `name`.
inline void serve_metadata(FakeMachine& machine, const std::string& name, Time expires) {
    const std::string base = metadata_base;
    machine.responses["PUT " + base + "/api/token"] = testing::reply(200, "session");
    machine.responses["GET " + base + "/meta-data/iam/security-credentials/"] =
        testing::reply(200, "node");
    machine.responses["GET " + base + "/meta-data/iam/security-credentials/node"] =
        testing::reply(200, served_json(name, format_rfc3339(expires)));
}

}  // namespace capstan::aws
