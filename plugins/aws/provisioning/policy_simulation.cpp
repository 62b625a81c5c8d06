#include "policy_simulation.hpp"

#include <utility>

#include "../wire/aws_client.hpp"

namespace capstan::aws {
namespace {

QueryRequest make_simulation_request(const Simulation& asked) {
    QueryRequest request(Service::iam, "SimulatePrincipalPolicy");
    request.set("PolicySourceArn", asked.principal_arn);
    request.set_list("ActionNames.member", asked.actions);
    request.set("ResourceArns.member.1", asked.resource);
    int number = 0;
    for (const auto& [key, value] : asked.context) {
        const std::string entry = "ContextEntries.member." + std::to_string(++number);
        request.set(entry + ".ContextKeyName", key);
        request.set(entry + ".ContextKeyType",
                    std::string(key == launch_template_version_key ? "boolean" : "string"));
        request.set(entry + ".ContextKeyValues.member.1", value);
    }
    return request;
}

SimulatedRight read_simulated_right(const XmlElement& result) {
    using Decision = SimulatedRight::Decision;
    SimulatedRight out{.action = result.text("EvalActionName"),
                       .word = result.text("EvalDecision")};
    for (const XmlElement& key : result.items("MissingContextValues"))
        out.missing_context.push_back(key.text());
    if (out.word == "allowed") {
        out.decision = Decision::allowed;
    } else if (out.word == "implicitDeny" && !out.missing_context.empty()) {
        out.decision = Decision::unknown;
    }
    return out;
}

}  // namespace

Task<std::vector<SimulatedRight>> simulate_policy(AwsClient& client, Simulation asked) {
    QueryRequest request = make_simulation_request(asked);
    const XmlReply reply = co_await client.call(std::move(request), Repeatable::yes);
    std::vector<SimulatedRight> out;
    for (const XmlElement& result : reply.result().items("EvaluationResults"))
        out.push_back(read_simulated_right(result));
    co_return out;
}

}  // namespace capstan::aws
