#include "served_credentials.hpp"

#include <string>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/utf8.hpp>

namespace capstan::aws {
namespace {

std::string served_words(const Json& body) {
    for (const char* key : {"Message", "message"}) {
        if (!body.text_at({key}).empty()) return in_quotes(clean_utf8(body.text_at({key}), 200));
    }
    return "no message";
}

}  // namespace

Result<Credentials> parse_served_credentials(std::string_view body) {
    const Result<Json> json = parse_json(body);
    if (!json || !json->is_object())
        return fail(ErrorCode::unavailable, "the response is not a JSON object with credentials");
    const std::string& code = json->text_at({"Code"});
    if (!code.empty() && code != "Success")
        return fail(ErrorCode::unauthenticated,
                    "it returned " + in_quotes(code) + ": " + served_words(*json));
    Credentials out;
    out.access_key_id = json->text_at({"AccessKeyId"});
    out.secret_access_key = json->text_at({"SecretAccessKey"});
    out.session_token = json->text_at({"Token"});
    if (out.access_key_id.empty() || out.secret_access_key.empty())
        return fail(ErrorCode::unavailable,
                    "the response has no AccessKeyId or no SecretAccessKey");
    const std::string& expiration = json->text_at({"Expiration"});
    if (expiration.empty()) return out;
    CAPSTAN_TRY(const Time expires, parse_rfc3339(expiration));
    out.expires = expires;
    return out;
}

std::string served_refusal(int status, std::string_view body) {
    std::string out = "status " + std::to_string(status);
    const Result<Json> json = parse_json(body);
    if (json && json->is_object()) return out + ": " + served_words(*json);
    return body.empty() ? out : out + ": " + in_quotes(clean_utf8(body, 200));
}

}  // namespace capstan::aws
