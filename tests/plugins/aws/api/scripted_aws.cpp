#include "scripted_aws.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <capstan/url.hpp>

namespace capstan::aws {
namespace {

constexpr const char* responses_folder = "tests/plugins/aws/api/answers/";

AwsRequest parse_request(const HttpRequest& request) {
    AwsRequest out{.request = request};
    for (const auto& [name, value] : request.headers) {
        if (name == "x-amz-target" || name == "X-Amz-Target") out.action = value;
    }
    if (!out.action.empty()) return out;
    if (request.method == "GET") {
        out.action = "GET " + std::string(testing::FakeHttp::target(request.url));
        return out;
    }
    const Result<QueryParameters> parameters = parse_query(request.body);
    if (!parameters) throw std::runtime_error(parameters.error().message);
    for (const auto& [name, value] : *parameters) {
        if (name == "Action") {
            out.action = value;
        } else if (name != "Version") {
            out.parameters.insert_or_assign(name, value);
        }
    }
    return out;
}

}  // namespace

std::string response_file(std::string_view name) {
    std::ifstream file(responses_folder + std::string(name));
    if (!file) throw std::runtime_error("no file " + std::string(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string group_member(const std::string& name, const std::string& more) {
    return "<member><AutoScalingGroupName>" + name +
           "</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>9</MaxSize>"
           "<DesiredCapacity>1</DesiredCapacity>" +
           more + "</member>";
}

std::string groups_response(const std::string& members, const std::string& next_token) {
    const std::string token =
        next_token.empty() ? std::string() : "<NextToken>" + next_token + "</NextToken>";
    return "<DescribeAutoScalingGroupsResponse "
           "xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\">"
           "<DescribeAutoScalingGroupsResult><AutoScalingGroups>" +
           members + "</AutoScalingGroups>" + token +
           "</DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>";
}

std::string query_error(const std::string& code, const std::string& message) {
    return "<ErrorResponse><Error><Type>Sender</Type><Code>" + code + "</Code><Message>" + message +
           "</Message></Error><RequestId>r-1</RequestId></ErrorResponse>";
}

std::string ec2_error(const std::string& code, const std::string& message) {
    return "<Response><Errors><Error><Code>" + code + "</Code><Message>" + message +
           "</Message></Error></Errors><RequestID>r-1</RequestID></Response>";
}

ScriptedAws::ScriptedAws()
    : credentials_(
          {.access_key_id = "AKIDEXAMPLE", .secret_access_key = "made up", .source = "test"}),
      client_(host_.host(), {.region = "eu-central-1"}, credentials_) {
    host_.http().handle([this](const HttpRequest& request) { return respond(request); });
}

ScriptedAws& ScriptedAws::on(const std::string& action, std::string body, int status) {
    responses_[action].emplace_back(testing::reply(status, std::move(body)));
    return *this;
}

ScriptedAws& ScriptedAws::file(const std::string& action, std::string_view name) {
    return on(action, response_file(name));
}

std::vector<std::string> ScriptedAws::actions() const {
    std::vector<std::string> out;
    for (const AwsRequest& one : requests_) out.push_back(one.action);
    return out;
}

Labels ScriptedAws::parameters() const {
    if (requests_.size() != 1)
        throw std::runtime_error(std::to_string(requests_.size()) + " requests, not one");
    return requests_.front().parameters;
}

std::string ScriptedAws::log() const {
    std::string out;
    for (const testing::LogLine& line : host_.log_lines()) {
        out += line.message;
        for (const auto& [key, value] : line.fields) out += " " + key + "=" + value;
        out += '\n';
    }
    return out;
}

testing::HttpOutcome ScriptedAws::respond(const HttpRequest& request) {
    requests_.push_back(parse_request(request));
    const std::string& action = requests_.back().action;
    const auto at = responses_.find(action);
    if (at == responses_.end())
        return testing::reply(400, query_error("NotArranged", "no response to " + action));
    std::size_t& next = next_[action];
    const std::size_t mine = std::min(next++, at->second.size() - 1);
    return at->second[mine];
}

}  // namespace capstan::aws
