// Finds credentials in Google's JSON, and calls the function for their type.
#include <utility>

#include <capstan/sentence.hpp>

#include "sources.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

CredentialsText parse_credentials(std::string name, std::string_view text) {
    Result<Json> json = parse_json(text);
    if (!json || !json->is_object())
        throw Failure(ErrorCode::invalid_config, name + " has no credentials: not a JSON object");
    return {std::move(name), *std::move(json)};
}

Task<CredentialsText> read_credentials_file(SharedLookup lookup, std::string path) {
    const Result<std::string> text = co_await as_result(lookup->environment->read_file(path));
    if (!text) co_return fail(within("credentials", text.error()));
    co_return parse_credentials("file " + in_quotes(path), *text);
}

CredentialsText read_credentials_secret(const TokenLookup& lookup) {
    const std::string name = "secret " + in_quotes(lookup.config.key_secret);
    std::string text;
    const Result<void> read = lookup.host.with_secret(
        lookup.config.key_secret, [&text](std::string_view value) { text = value; });
    if (!read) throw Failure(read.error());
    return parse_credentials(name, text);
}

/// The path of gcloud's file; empty if no variable gives its folder.
std::string gcloud_file(const TokenLookup& lookup) {
    std::string folder = lookup.variable("CLOUDSDK_CONFIG");
    if (folder.empty()) {
        const std::string home = lookup.variable("HOME");
        if (home.empty()) return {};
        folder = home + "/.config/gcloud";
    }
    return folder + "/application_default_credentials.json";
}

}  // namespace

Task<CredentialsSearch> find_credentials_text(SharedLookup lookup) {
    CredentialsSearch out;
    if (!lookup->config.key_secret.empty()) {
        out.found = read_credentials_secret(*lookup);
        co_return std::move(out);
    }
    std::string asked_for = lookup->config.file;
    if (asked_for.empty()) asked_for = lookup->variable("GOOGLE_APPLICATION_CREDENTIALS");
    if (!asked_for.empty()) {
        out.found = co_await read_credentials_file(lookup, asked_for);
        co_return std::move(out);
    }
    out.absence = "GOOGLE_APPLICATION_CREDENTIALS is not set";
    const std::string path = gcloud_file(*lookup);
    if (path.empty()) co_return std::move(out);
    Result<CredentialsText> read = co_await as_result(read_credentials_file(lookup, path));
    if (read) {
        out.found = *std::move(read);
    } else if (read.error().code == ErrorCode::invalid_config) {
        co_return fail(read.error());
    } else {
        out.absence += "; " + read.error().message;
    }
    co_return std::move(out);
}

Task<AccessToken> ask_with(SharedLookup lookup, CredentialsText credentials, std::string scopes) {
    const std::string name = credentials.name;
    const std::string type = text_of(credentials, "type");
    if (type == "service_account")
        return ask_service_account(std::move(lookup), std::move(credentials), std::move(scopes));
    if (type == "authorized_user")
        return ask_authorized_user(std::move(lookup), std::move(credentials));
    if (type == "external_account")
        return ask_external_account(std::move(lookup), std::move(credentials), std::move(scopes));
    if (type == "impersonated_service_account")
        return ask_impersonated_account(std::move(lookup), std::move(credentials),
                                        std::move(scopes));
    return fail_task<AccessToken>(
        {ErrorCode::invalid_config, name + ": unknown credentials type " + in_quotes(type) +
                                        "; expected service_account, authorized_user, "
                                        "external_account or impersonated_service_account"});
}

}  // namespace capstan::gce
