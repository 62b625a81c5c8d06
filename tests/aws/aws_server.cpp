#include "aws_server.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

namespace capstan::aws {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr const char* python = "build/python/bin/python";
constexpr const char* account_number = "123456789012";

std::string text_of(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return std::move(out).str();
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

json::object tag(const std::string& key, const std::string& value) {
    return {{"Key", key}, {"Value", value}, {"PropagateAtLaunch", true}};
}

json::array tags_of(const Group& group) {
    json::array out{tag("k8s.io/cluster-autoscaler/enabled", "true"),
                    tag(std::string("k8s.io/cluster-autoscaler/") + cluster_name, "owned")};
    for (const auto& [key, value] : group.labels)
        out.push_back(tag(scaling_label_tag + key, value));
    for (const auto& [key, value] : group.tags) out.push_back(tag(key, value));
    return out;
}

json::object mixed_policy(const Group& group) {
    json::array overrides;
    for (const std::string& type : group.types)
        overrides.push_back(json::object{{"InstanceType", type}});
    return {
        {"LaunchTemplate",
         json::object{{"LaunchTemplateSpecification",
                       json::object{{"LaunchTemplateName", group.name}, {"Version", "$Latest"}}},
                      {"Overrides", overrides}}},
        {"InstancesDistribution",
         json::object{{"OnDemandBaseCapacity", 0},
                      {"OnDemandPercentageAboveBaseCapacity", group.spot ? 0 : 100},
                      {"SpotAllocationStrategy", "price-capacity-optimized"}}}};
}

/// The calls that make it.
void add_group(json::array& calls, const Group& group) {
    const bool is_mixed = group.spot || group.types.size() > 1;
    json::object data{{"ImageId", group.image}, {"InstanceType", group.types.front()}};
    calls.push_back(json::array{
        "ec2", "CreateLaunchTemplate",
        json::object{{"LaunchTemplateName", group.name}, {"LaunchTemplateData", std::move(data)}}});
    json::object wanted{{"AutoScalingGroupName", group.name},
                        {"MinSize", group.min},
                        {"MaxSize", group.max},
                        {"DesiredCapacity", group.desired},
                        {"AvailabilityZones", json::value_from(group.zones)},
                        {"Tags", tags_of(group)}};
    if (is_mixed) {
        wanted["MixedInstancesPolicy"] = mixed_policy(group);
    } else {
        wanted["LaunchTemplate"] = {{"LaunchTemplateName", group.name}, {"Version", "$Latest"}};
    }
    calls.push_back(json::array{"autoscaling", "CreateAutoScalingGroup", std::move(wanted)});
}

/// As the server takes it. The machine that Capstan runs on, and its pod, have the role that may do
/// all that the policies say.
json::object describe(const World& world) {
    json::array calls;
    for (const Making& call : world.calls)
        calls.push_back(json::array{call.service, call.action, call.parameters});
    for (const Group& group : world.groups) add_group(calls, group);
    json::object out = world.more;
    out["calls"] = std::move(calls);
    out["region"] = region;
    const json::object role{{"name", "capstan-shop"}, {"policy", policy_of(world.policies)}};
    out["identities"] = {{"roles", json::array{role}},
                         {"machine_role", "capstan-shop"},
                         {"pod_role", "capstan-shop"},
                         {"pod_token", "a-pods-token"},
                         {"web_token", "a-web-token"}};
    return out;
}

Call read_call(const json::value& value) {
    const auto text = [&](const char* name) {
        const json::value* const found = value.as_object().if_contains(name);
        return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
    };
    Call out{.number = value.at("number").to_number<std::int64_t>(),
             .service = text("service"),
             .action = text("action"),
             .principal = text("principal"),
             .answer = text("answer"),
             .parameters = value.at("parameters")};
    if (const json::value* const status = value.as_object().if_contains("status"))
        out.status = status->to_number<int>();
    return out;
}

}  // namespace

json::object policy_of(const std::vector<std::string>& files) {
    json::array statements;
    for (const std::string& file : files) {
        std::string text = text_of(fs::path("deploy/aws") / file);
        if (text.empty()) throw std::runtime_error("deploy/aws has no " + file);
        for (const auto& [what, by] : {std::pair{"REGION", region},
                                       {"ACCOUNT", account_number},
                                       {"CLUSTER", cluster_name},
                                       {"NODE_ROLE", "nodes"}})
            replace_all(text, what, by);
        const json::value document = json::parse(text);
        for (const json::value& statement : document.at("Statement").as_array())
            statements.push_back(statement);
    }
    return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

std::string Call::parameter(const std::string& name) const {
    const json::value* const found = parameters.as_object().if_contains(name);
    return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
}

std::string AwsServer::missing_because() {
    bool is_there = false;
    std::error_code none;
    for (const auto& version : fs::directory_iterator("build/python/lib", none))
        is_there = is_there || fs::exists(version.path() / "site-packages/moto");
    return is_there ? "" : std::string(python) + " has no moto; ./dev packages test installs it";
}

AwsServer::AwsServer(const World& world) {
    server_process_ =
        start("server", folder_.write("world.json", json::serialize(describe(world))), server_);
    proxy_process_ = start("proxy", server_->url(), proxy_);
}

std::unique_ptr<e2e::Process> AwsServer::start(const std::string& program,
                                               const std::string& argument,
                                               std::optional<e2e::Api>& api) {
    const fs::path port = folder_.path() / (program + ".port");
    auto out = std::make_unique<e2e::Process>(
        std::vector<std::string>{python, "tests/aws/" + program, port.string(), argument},
        e2e::Process::Variables{}, folder_.path() / (program + ".log"));
    const bool is_up = e2e::becomes(90s, [&] { return fs::exists(port) || !out->is_running(); });
    if (!is_up || !fs::exists(port))
        throw std::runtime_error("the " + program + " does not come up: " + log());
    api.emplace("http://127.0.0.1:" + text_of(port));
    return out;
}

std::string AwsServer::log() const {
    return text_of(folder_.path() / "server.log") + text_of(folder_.path() / "proxy.log");
}

json::value AwsServer::ask(const std::string& word) const {
    return server_->get("/control/" + word);
}

void AwsServer::tell(const std::string& word, const json::value& value) const {
    server_->create("/control/" + word, json::serialize(value));
}

void AwsServer::strike(const json::array& rules) const {
    proxy_->create("/proxy/rules", json::serialize(rules));
}

std::vector<std::int64_t> AwsServer::hits() const {
    return json::value_to<std::vector<std::int64_t>>(proxy_->get("/proxy/hits"));
}

int AwsServer::desired(const std::string& group) const {
    const json::value all = ask("groups");
    const json::value* const found = all.as_object().if_contains(group);
    return found == nullptr ? -1 : found->at("desired").to_number<int>();
}

std::vector<json::object> AwsServer::machines(const std::string& group) const {
    std::vector<json::object> out;
    const json::value all = ask("machines");
    for (const json::value& machine : all.as_array())
        if (machine.at("group").as_string() == group) out.push_back(machine.as_object());
    return out;
}

std::vector<std::string> AwsServer::groups() const {
    std::vector<std::string> out;
    const json::value all = ask("groups");
    for (const auto& group : all.as_object()) out.emplace_back(group.key());
    return out;
}

std::vector<Call> AwsServer::calls(const std::string& action) const {
    std::vector<Call> out;
    const json::value all = ask("calls");
    for (const json::value& each : all.as_array())
        if (action.empty() || each.at("action").as_string() == action)
            out.push_back(read_call(each));
    return out;
}

int AwsServer::most_desired(const std::string& group) const {
    int out = 0;
    for (const Call& call : calls("SetDesiredCapacity"))
        if (call.parameter("AutoScalingGroupName") == group)
            out = std::max(out, std::stoi(call.parameter("DesiredCapacity")));
    return out;
}

std::vector<std::string> AwsServer::violations() const {
    return json::value_to<std::vector<std::string>>(ask("violations"));
}

}  // namespace capstan::aws
