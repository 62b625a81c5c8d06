#include "kubernetes/client/access/exec_credentials_json.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/base64.hpp>
#include <capstan/time_text.hpp>

#include "kubernetes/client/access/credentials_file.hpp"
#include "kubernetes/client/access/credentials_pair.hpp"
#include "kubernetes/client/json_object.hpp"

namespace capstan::kubernetes {
namespace {

namespace json = boost::json;

void put(json::object& out, json::string_view key, const std::string& text) {
    if (!text.empty()) out[key] = text;
}

json::object cluster_info(const ExecCluster& cluster) {
    json::object out;
    put(out, "server", cluster.server);
    put(out, "tls-server-name", cluster.tls_server_name);
    if (cluster.insecure_skip_tls_verify) out["insecure-skip-tls-verify"] = true;
    put(out, "certificate-authority-data", base64_encode(cluster.ca_pem));
    put(out, "proxy-url", cluster.proxy_url);
    if (cluster.disable_compression) out["disable-compression"] = true;
    if (cluster.config) out["config"] = *cluster.config;
    return out;
}

bool is_text_or_absent(const json::object& object, json::string_view key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr || value->is_null() || value->is_string();
}

Unexpected refuse_answer(std::string why) {
    return fail(ErrorCode::unauthenticated, std::move(why));
}

Result<void> check_version(const json::object& answer, const std::string& api_version) {
    if (text_at(answer, {"kind"}) != "ExecCredential")
        return refuse_answer("printed JSON that is no ExecCredential");
    if (text_at(answer, {"apiVersion"}) == api_version) return {};
    return fail(ErrorCode::invalid_config, "printed an ExecCredential of another version than " +
                                               api_version + ", which the kubeconfig asks for");
}

Result<void> check(const ExecAnswer& answer) {
    if (answer.certificate_pem.empty() != answer.key_pem.empty())
        return refuse_answer(
            "printed one of clientCertificateData and clientKeyData without the other");
    if (answer.token.empty() && answer.key_pem.empty())
        return refuse_answer("printed neither a token nor a client certificate");
    if (!answer.token.empty() && !is_bearer_token(answer.token))
        return refuse_answer("printed a token that is not one word of ASCII");
    if (answer.key_pem.empty()) return {};
    const auto pair = check_key_pair(answer.certificate_pem, answer.key_pem);
    if (!pair) return refuse_answer("printed what is of no use: " + pair.error().message);
    return {};
}

Result<ExecAnswer> read_status(const json::object& status) {
    for (const auto* key :
         {"token", "clientCertificateData", "clientKeyData", "expirationTimestamp"}) {
        if (!is_text_or_absent(status, key))
            return refuse_answer(std::string("printed a status whose ") + key + " is no text");
    }
    ExecAnswer out{.token = text_at(status, {"token"}),
                   .certificate_pem = text_at(status, {"clientCertificateData"}),
                   .key_pem = text_at(status, {"clientKeyData"})};
    CAPSTAN_CHECK(check(out));
    if (const std::string written = text_at(status, {"expirationTimestamp"}); !written.empty()) {
        const auto expires = parse_rfc3339(written);
        if (!expires)
            return refuse_answer("printed an expirationTimestamp that is no RFC 3339 time");
        out.expires = *expires;
    }
    return out;
}

}  // namespace

std::string exec_info(const ExecPlugin& plugin, const ExecCluster& cluster) {
    json::object spec{{"interactive", false}};
    if (plugin.provides_cluster_info) spec["cluster"] = cluster_info(cluster);
    return json::serialize(json::object{
        {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<ExecAnswer> parse_exec_answer(const std::string& api_version, std::string_view output) {
    json::error_code error;
    const json::value answer = json::parse(output, error);
    if (error || !answer.is_object())
        return refuse_answer("printed something that is no JSON object");
    CAPSTAN_CHECK(check_version(answer.get_object(), api_version));
    const json::value* status = answer.get_object().if_contains("status");
    if (status == nullptr || !status->is_object()) return refuse_answer("printed no status");
    return read_status(status->get_object());
}

}  // namespace capstan::kubernetes
