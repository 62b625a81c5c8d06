#include "commands/crd.hpp"

#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "commands/chosen_cluster.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using kubernetes::ApiReply;
using kubernetes::ApiRequest;

constexpr kubernetes::ApiResource definitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};

/// What is defined; versions and status are the server's business.
json::value definition_in(const ApiReply& reply) {
    boost::system::error_code bad;
    const json::value object = json::parse(reply.body, bad);
    if (bad) return {};
    const json::value* spec = object.find_pointer("/spec", bad);
    return spec != nullptr ? *spec : json::value();
}

}  // namespace

Result<json::object> parse_definition(std::string_view yaml) {
    CAPSTAN_TRY(const kubernetes::YamlValue value,
                kubernetes::parse_yaml("the definition", std::string(yaml)));
    json::value out = kubernetes::json_of(value);
    if (!out.is_object()) return fail(ErrorCode::invalid_config, "the definition is no object");
    return std::move(out.as_object());
}

Result<std::string> install_definition(kubernetes::Api& api, io::Loop& loop,
                                       const json::object& definition) {
    const std::string name(definition.at("metadata").at("name").as_string());
    ApiRequest get{.path = path_of(definitions, {}, name)};
    const Result<ApiReply> before = send_and_wait(api, loop, get);
    if (!before && before.error().code != ErrorCode::not_found) return fail(before.error());
    ApiRequest apply{.method = "PATCH",
                     .path = get.path,
                     .query = {{"fieldManager", "capstan"}, {"force", "true"}},
                     .body = json::serialize(definition),
                     .content_type = "application/apply-patch+yaml"};
    CAPSTAN_TRY(const ApiReply after, send_and_wait(api, loop, std::move(apply)));
    if (!before) return std::string("created");
    return std::string(definition_in(*before) == definition_in(after) ? "unchanged" : "changed");
}

}  // namespace capstan::commands
