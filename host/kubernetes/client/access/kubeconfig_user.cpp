#include <algorithm>

#include "kubernetes/client/access/credentials_file.hpp"
#include "kubernetes/client/access/kubeconfig_decode.hpp"

namespace capstan::kubernetes {
namespace {

bool is_header_value(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// RFC 9110's token characters, without the '%' that stands for escapes, in lower case, for that is
/// how the API server reads a header's name.
std::string header_name_part(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::string_view others = "!#$&'*+-.^_`|~";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c >= 'A' && c <= 'Z') {
            out += static_cast<char>(c - 'A' + 'a');
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                   others.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out;
}

HttpHeaders decode_impersonation(const KubeconfigEntry& entry) {
    HttpHeaders out;
    const auto add = [&](std::string name, std::string value, std::string_view key) {
        if (!is_header_value(value)) entry.complain(key, "has a control character");
        out.emplace_back(std::move(name), std::move(value));
    };
    const std::string user = entry.text("as");
    if (!user.empty()) add("impersonate-user", user, "as");
    if (std::string uid = entry.text("as-uid"); !uid.empty())
        add("impersonate-uid", std::move(uid), "as-uid");
    for (std::string& group : entry.texts("as-groups"))
        add("impersonate-group", std::move(group), "as-groups");
    for (auto& [key, values] : entry.lists("as-user-extra")) {
        for (std::string& value : values)
            add("impersonate-extra-" + header_name_part(key), std::move(value), "as-user-extra");
    }
    if (user.empty() && !out.empty())
        entry.complain({}, "as-uid, as-groups and as-user-extra need the user to impersonate: as");
    return out;
}

void refuse_auth_provider(const KubeconfigEntry& entry) {
    const std::string name = entry.below("auth-provider").text("name");
    std::string hint = "is not supported; use an exec plugin in its place";
    if (name == "gcp") hint += ", such as gke-gcloud-auth-plugin";
    if (name == "azure") hint += ", such as kubelogin";
    if (name == "oidc") hint += ", such as kubectl-oidc_login";
    entry.complain("auth-provider", hint);
}

}  // namespace

KubeconfigUser decode_user(const KubeconfigEntry& entry) {
    KubeconfigUser out;
    out.impersonation = decode_impersonation(entry);
    out.certificate = entry.pem("client-certificate");
    out.key = entry.pem("client-key");
    if (out.certificate.empty() != out.key.empty())
        entry.complain({}, "client-certificate and client-key go together; one is missing");
    out.token = entry.text("token");
    if (!out.token.empty() && !is_bearer_token(out.token))
        entry.complain("token", "expects one word of ASCII");
    out.token_file = entry.path("tokenFile");
    out.username = entry.text("username");
    out.password = entry.text("password");
    const bool has_token = !out.token.empty() || !out.token_file.empty();
    const bool has_password = !out.username.empty() || !out.password.empty();
    if (has_token && has_password)
        entry.complain({}, "has both a token and a password; which one counts?");
    if (entry.has("auth-provider")) refuse_auth_provider(entry);
    if (entry.has("exec") && !has_token && !has_password && out.certificate.empty())
        out.exec = decode_exec_plugin(entry.below("exec"));
    return out;
}

}  // namespace capstan::kubernetes
