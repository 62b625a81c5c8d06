/// AWS behind a fake host. Returns the responses of an action in the order in which they were
/// arranged, and records the requests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_http.hpp>
#include <capstan/testing/run_task.hpp>

#include "wire/aws_client.hpp"
#include "wire/static_credentials.hpp"

namespace capstan::aws {

/// A file of tests/plugins/aws/api/answers.
std::string response_file(std::string_view name);
/// The element of a group with the required fields, and `more`.
std::string group_member(const std::string& name, const std::string& more = {});
/// A complete response to DescribeAutoScalingGroups.
std::string groups_response(const std::string& members, const std::string& next_token = {});
/// Refusals in the forms of the query and the ec2 protocol.
std::string query_error(const std::string& code, const std::string& message);
std::string ec2_error(const std::string& code, const std::string& message);

/// One request.
struct AwsRequest {
    std::string action{};  ///< "SetDesiredCapacity", "AmazonSQS.ReceiveMessage", "GET /clusters/a"
    Labels parameters{};   ///< of the query and ec2 protocols, without Action and Version
    HttpRequest request{};
};

class ScriptedAws {
public:
    ScriptedAws();

    /// The last response arranged for an action is repeated.
    ScriptedAws& on(const std::string& action, std::string body, int status = 200);
    /// Arranges the text of the file as a response.
    ScriptedAws& file(const std::string& action, std::string_view name);

    testing::FakeHost& host() noexcept { return host_; }
    AwsClient& client() noexcept { return client_; }
    const std::vector<AwsRequest>& requests() const noexcept { return requests_; }
    std::vector<std::string> actions() const;
    /// The parameters of the only request so far.
    Labels parameters() const;
    /// Everything that the plugin has logged.
    std::string log() const;

    template <class T>
    Result<T> run(Task<T> task) {
        return testing::run(host_, std::move(task));
    }

private:
    testing::HttpOutcome respond(const HttpRequest& request);

    testing::FakeHost host_{};
    StaticCredentials credentials_;
    AwsClient client_;
    std::map<std::string, std::vector<testing::HttpOutcome>> responses_{};
    std::map<std::string, std::size_t> next_{};
    std::vector<AwsRequest> requests_{};
};

}  // namespace capstan::aws
