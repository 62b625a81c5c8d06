// Sources that ask no metadata service: the settings, the environment, web identity.
#include "sources.hpp"
#include "sts_roles.hpp"

namespace capstan::aws {
namespace {

SourceAnswer absent_because(std::string why) {
    SourceAnswer out;
    out.absence = std::move(why);
    return out;
}

/// The secret's value; a Failure says why there is none.
std::string read_secret(const Host& host, const std::string& name) {
    std::string out;
    const Result<void> read =
        host.with_secret(name, [&out](std::string_view value) { out = value; });
    if (!read) throw Failure(read.error());
    return out;
}

}  // namespace

Task<SourceAnswer> ask_settings(SharedLookup lookup) {
    const CredentialsConfig& config = lookup->config;
    if (config.access_key_id.empty()) co_return absent_because("no access_key_id");
    if (config.secret_access_key.empty())
        co_return fail(ErrorCode::invalid_config, "access_key_id is set without secret_access_key");
    SourceAnswer out;
    Credentials& found = out.credentials.emplace();
    found.access_key_id = config.access_key_id;
    found.secret_access_key = read_secret(lookup->host, config.secret_access_key);
    if (!config.session_token.empty())
        found.session_token = read_secret(lookup->host, config.session_token);
    found.source = "the configuration";
    co_return out;
}

Task<SourceAnswer> ask_environment(SharedLookup lookup) {
    const std::string id = lookup->variable("AWS_ACCESS_KEY_ID");
    const std::string secret = lookup->variable("AWS_SECRET_ACCESS_KEY");
    if (id.empty() && secret.empty()) co_return absent_because("AWS_ACCESS_KEY_ID is not set");
    if (id.empty() || secret.empty())
        co_return fail(ErrorCode::invalid_config,
                       "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set");
    SourceAnswer out;
    Credentials& found = out.credentials.emplace();
    found.access_key_id = id;
    found.secret_access_key = secret;
    found.session_token = lookup->variable("AWS_SESSION_TOKEN");
    found.source = "the environment";
    co_return out;
}

Task<SourceAnswer> ask_web_identity(SharedLookup lookup) {
    const std::string file = lookup->variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    if (file.empty()) co_return absent_because("AWS_WEB_IDENTITY_TOKEN_FILE is not set");
    RoleRequest request;
    request.role_arn = lookup->variable("AWS_ROLE_ARN");
    request.source = "web identity";
    if (request.role_arn.empty())
        co_return fail(ErrorCode::invalid_config,
                       "AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN");
    SourceAnswer out;
    out.credentials = co_await assume_role_by_token(lookup, file, std::move(request));
    co_return out;
}

}  // namespace capstan::aws
