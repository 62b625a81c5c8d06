/// Who asks, and what may they do? A simulated cluster lets everybody do everything.
#include <chrono>

#include <boost/json/parse.hpp>

#include "simulation/api_server/api_call.hpp"

namespace capstan::simulation {
namespace {

/// What was asked, to be said back; empty where it came in an encoding that nobody has to read,
/// for the answer is always the same.
json::value spec_of(const ApiRequest& request) {
    boost::system::error_code error;
    const json::value body = json::parse(request.body, error);
    if (error || !body.is_object()) return json::object();
    const json::value* spec = body.get_object().if_contains("spec");
    return spec == nullptr ? json::object() : *spec;
}

json::object review(const ApiRequest& request, const char* kind, json::object status) {
    return {{"kind", kind},
            {"apiVersion", request.group + "/" + request.version},
            {"metadata", json::object()},
            {"spec", spec_of(request)},
            {"status", std::move(status)}};
}

json::object all_rules() {
    const json::array any = {"*"};
    const json::object resources{{"verbs", any}, {"apiGroups", any}, {"resources", any}};
    const json::object paths{{"verbs", any}, {"nonResourceURLs", any}};
    return {{"resourceRules", json::array{resources}},
            {"nonResourceRules", json::array{paths}},
            {"incomplete", false}};
}

constexpr Duration token_lasts = std::chrono::hours(1);

}  // namespace

Answer<HttpReply> serve_token(const ApiCall& call) {
    const ApiRequest& request = call.request;
    CAPSTAN_TRY(const ApiObject account, call.store.get(call.kind, request.space, request.name));
    const json::object status{
        {"token", "simulated-" + std::string(text_at(*account, "metadata.uid"))},
        {"expirationTimestamp", timestamp_text(call.store.now() + token_lasts)}};
    return json_reply(
        201, {{"kind", "TokenRequest"},
              {"apiVersion", "authentication.k8s.io/v1"},
              {"metadata", json::object{{"name", request.name}, {"namespace", request.space}}},
              {"spec", json::object{{"audiences", json::array{"simulated"}},
                                    {"expirationSeconds", token_lasts / std::chrono::seconds(1)}}},
              {"status", status}});
}

std::optional<HttpReply> serve_review(const ApiRequest& request) {
    if (request.verb != "create") return std::nullopt;
    const bool is_authorization = request.group == "authorization.k8s.io";
    const json::object allowed{{"allowed", true}, {"reason", "a simulated cluster"}};
    if (is_authorization && request.plural == "selfsubjectaccessreviews")
        return json_reply(201, review(request, "SelfSubjectAccessReview", allowed));
    if (is_authorization && request.plural == "subjectaccessreviews")
        return json_reply(201, review(request, "SubjectAccessReview", allowed));
    if (is_authorization && request.plural == "selfsubjectrulesreviews")
        return json_reply(201, review(request, "SelfSubjectRulesReview", all_rules()));
    const json::object user{{"username", "simulated-admin"},
                            {"groups", json::array{"system:masters", "system:authenticated"}}};
    if (request.group == "authentication.k8s.io" && request.plural == "selfsubjectreviews")
        return json_reply(201, review(request, "SelfSubjectReview", {{"userInfo", user}}));
    return std::nullopt;
}

}  // namespace capstan::simulation
