#include "kubernetes/client/access/kubeconfig.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/base64.hpp>
#include <capstan/url.hpp>

#include "io/http_syntax.hpp"
#include "io/printable.hpp"
#include "io/url.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/kubeconfig_files.hpp"

namespace capstan::kubernetes::client {
namespace {

/// 'it has "a", "b"'
std::string choices(const std::vector<std::string>& names) {
    if (names.empty()) return "it has none";
    std::string out;
    for (const std::string& name : names) {
        if (out.size() > 500) return out + ", ...";
        out += (out.empty() ? "it has " : ", ") + name_in_quotes(name);
    }
    return out;
}

/// Reads the chosen context and the entries that it refers to. The first problem goes to `problem`.
class Reader {
public:
    Reader(const KubeconfigFiles& files, std::optional<Error>& problem)
        : files_(files), problem_(problem) {}

    Kubeconfig read(const std::string& wanted) {
        Kubeconfig out;
        out.context = wanted.empty() ? files_.current_context(problem_) : wanted;
        if (out.context.empty())
            miss("has no current-context; " + choices(files_.names(kubeconfig_contexts)));
        const auto context = find(kubeconfig_contexts, out.context);
        if (!context) return out;
        const std::string cluster_name = context->text("cluster");
        if (cluster_name.empty()) context->complain("cluster", "is missing");
        if (const auto cluster = find(kubeconfig_clusters, cluster_name))
            out.cluster = decode_cluster(*cluster);
        if (const std::string name = context->text("user"); !name.empty()) {
            if (const auto user = find(kubeconfig_users, name)) out.user = decode_user(*user);
        }
        if (std::string ns = context->text("namespace"); !ns.empty())
            out.kube_namespace = std::move(ns);
        return out;
    }

private:
    std::optional<KubeconfigEntry> find(const KubeconfigList& list, const std::string& name) {
        if (problem_) return std::nullopt;
        auto out = files_.find(list, name, problem_);
        if (!out) {
            miss("has no " + std::string(list.member) + ' ' + name_in_quotes(name) + "; " +
                 choices(files_.names(list)));
        }
        return out;
    }
    void miss(const std::string& why) {
        if (!problem_)
            problem_ = Error{ErrorCode::invalid_config, files_.text() + ": kubeconfig " + why};
    }

    const KubeconfigFiles& files_;
    std::optional<Error>& problem_;
};

}  // namespace

Result<Kubeconfig> read_kubeconfig(const KubeconfigChoice& choice, const Environment& environment) {
    CAPSTAN_TRY(const KubeconfigFiles files, KubeconfigFiles::read(choice.file, environment));
    std::optional<Error> problem;
    Kubeconfig out = Reader(files, problem).read(choice.context);
    if (problem) return fail(std::move(*problem));
    out.files = files.paths();
    return out;
}

namespace {

const YamlValue nothing{.kind = YamlValue::Kind::map};

std::optional<bool> find_flag(const YamlValue& value) {
    if (value.kind != YamlValue::Kind::text || !value.is_plain) return std::nullopt;
    const std::string word = lower_case(value.text);
    // YAML 1.1's words, for that is what kubectl's reader takes.
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
    return std::nullopt;
}

}  // namespace

std::string name_in_quotes(std::string_view name) {
    const auto ends = std::ranges::find_if(
        name, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '{' || c == ','; });
    const bool is_word = ends == name.end();
    return '"' + io::printable({name.begin(), ends}, 200) + (is_word ? "\"" : "...\"");
}

KubeconfigEntry::KubeconfigEntry(std::filesystem::path file, std::string what,
                                 const YamlValue& value, std::optional<Error>& problem)
    : file_(std::move(file)),
      what_(std::move(what)),
      value_(&value),
      line_(value.line),
      problem_(&problem) {
    if (value.kind == YamlValue::Kind::map) return;
    if (value.kind != YamlValue::Kind::null) complain({}, "expects a map of keys and values");
    value_ = &nothing;
}

KubeconfigEntry KubeconfigEntry::below(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) {
        KubeconfigEntry empty(file_, what_, nothing, *problem_);
        empty.line_ = line_;
        return empty;
    }
    std::string what = what_.empty() ? std::string(key) : what_ + ": " + std::string(key);
    return {file_, std::move(what), *value, *problem_};
}

std::vector<KubeconfigEntry> KubeconfigEntry::each(std::string_view key) const {
    std::vector<KubeconfigEntry> out;
    const YamlValue* list = find(key);
    if (list == nullptr) return out;
    if (list->kind != YamlValue::Kind::list) complain(key, "expects a list");
    for (const YamlValue& item : list->children) {
        if (list->kind == YamlValue::Kind::list)
            out.push_back({file_, std::string(key), item, *problem_});
    }
    return out;
}

KubeconfigEntry KubeconfigEntry::named(std::string what) const {
    KubeconfigEntry out = *this;
    out.what_ = std::move(what);
    return out;
}

std::string KubeconfigEntry::text(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) return {};
    if (value->kind != YamlValue::Kind::text) complain(key, "expects text");
    return value->text;
}

std::vector<std::string> KubeconfigEntry::texts_of(const YamlValue& list,
                                                   std::string_view key) const {
    std::vector<std::string> out;
    if (list.kind != YamlValue::Kind::list) {
        complain(key, "expects a list of texts");
        return out;
    }
    for (const YamlValue& item : list.children) {
        if (item.kind != YamlValue::Kind::text) complain(key, "expects a list of texts");
        out.push_back(item.text);
    }
    return out;
}

std::vector<std::string> KubeconfigEntry::texts(std::string_view key) const {
    const YamlValue* list = find(key);
    return list == nullptr ? std::vector<std::string>() : texts_of(*list, key);
}

std::vector<std::pair<std::string, std::vector<std::string>>> KubeconfigEntry::lists(
    std::string_view key) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> out;
    const YamlValue* map = find(key);
    if (map == nullptr) return out;
    if (map->kind != YamlValue::Kind::map) {
        complain(key, "expects a map of lists");
        return out;
    }
    for (const YamlValue& member : map->children)
        out.emplace_back(member.key, texts_of(member, key));
    return out;
}

bool KubeconfigEntry::flag(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) return false;
    const std::optional<bool> flag = find_flag(*value);
    if (!flag) complain(key, "expects true or false");
    return flag.value_or(false);
}

std::filesystem::path KubeconfigEntry::folder() const {
    return std::filesystem::absolute(file_).parent_path();
}

std::filesystem::path KubeconfigEntry::path(std::string_view key) const {
    const std::string written = text(key);
    // operator/ keeps an absolute path as it is.
    return written.empty() ? std::filesystem::path() : (folder() / written).lexically_normal();
}

PemSource KubeconfigEntry::pem(const std::string& key) const {
    const std::string data_key = key + "-data";
    const std::string data = text(data_key);
    if (data.empty()) return {.file = path(key)};
    Result<std::string> bytes = base64_decode_lenient(data);
    if (!bytes || bytes->find("-----BEGIN ") == std::string::npos)
        complain(data_key, "expects PEM in base64");
    return {.text = std::move(bytes).value_or("")};
}

void KubeconfigEntry::complain(std::string_view key, std::string_view why) const {
    if (problem_->has_value()) return;
    const YamlValue* at = key.empty() ? nullptr : find(key);
    const std::size_t line = at == nullptr ? line_ : at->line;
    std::string message = file_.string() + ':';
    if (line > 0) message += std::to_string(line) + ':';
    if (!what_.empty()) message += ' ' + what_ + ':';
    if (!key.empty()) message += ' ' + std::string(key);
    *problem_ = Error{ErrorCode::invalid_config, message + ' ' + std::string(why)};
}

namespace {

constexpr std::string_view exec_extension = "client.authentication.k8s.io/exec";

std::string decode_server(const KubeconfigEntry& entry) {
    std::string server = entry.text("server");
    // The messages do not quote the URL, because it may hold a password.
    if (server.empty()) {
        entry.complain("server", "is missing: the API server's URL");
    } else if (server.find("://") == std::string::npos) {
        entry.complain("server", "has no scheme: write https:// in front, or http://");
    } else if (const auto url = io::parse_url(server); !url) {
        entry.complain("server", url.error().message);
    } else if (server.find_first_of("?#") != std::string::npos) {
        entry.complain("server", "expects a URL without a query");
    } else {
        server.replace(0, url->scheme.size(), url->scheme);
    }
    while (server.ends_with('/')) server.pop_back();
    return server;
}

std::string decode_proxy(const KubeconfigEntry& entry) {
    constexpr std::array<std::string_view, 4> known{"http", "https", "socks5", "socks5h"};
    std::string proxy = entry.text("proxy-url");
    const std::size_t end = std::min(proxy.find("://"), proxy.size());
    const std::string scheme = lower_case(std::string_view(proxy).substr(0, end));
    const bool is_known = end < proxy.size() && std::ranges::find(known, scheme) != known.end();
    if (!proxy.empty() && !is_known)
        entry.complain("proxy-url", "expects an http, https or socks5 URL");
    return proxy;
}

std::optional<boost::json::value> find_exec_config(const KubeconfigEntry& entry) {
    for (const KubeconfigEntry& extension : entry.each("extensions")) {
        const YamlValue* value = extension.find("extension");
        if (extension.text("name") == exec_extension && value != nullptr) return json_of(*value);
    }
    return std::nullopt;
}

}  // namespace

KubeconfigCluster decode_cluster(const KubeconfigEntry& entry) {
    KubeconfigCluster out;
    out.server = decode_server(entry);
    out.tls_server_name = entry.text("tls-server-name");
    out.insecure_skip_tls_verify = entry.flag("insecure-skip-tls-verify");
    out.ca = entry.pem("certificate-authority");
    if (out.insecure_skip_tls_verify && !out.ca.empty())
        entry.complain("insecure-skip-tls-verify", "cannot be combined with certificate-authority");
    out.proxy_url = decode_proxy(entry);
    out.disable_compression = entry.flag("disable-compression");
    out.exec_config = find_exec_config(entry);
    return out;
}

namespace {

constexpr std::string_view v1 = "client.authentication.k8s.io/v1";
constexpr std::string_view v1beta1 = "client.authentication.k8s.io/v1beta1";
constexpr std::string_view v1alpha1 = "client.authentication.k8s.io/v1alpha1";

void check_api_version(const KubeconfigEntry& entry, std::string_view version) {
    if (version == v1 || version == v1beta1) return;
    entry.complain("apiVersion", version == v1alpha1
                                     ? "v1alpha1 is no longer supported; write this user again "
                                       "with the plugin's own tool, for v1 or v1beta1"
                                     : "expects client.authentication.k8s.io/v1 or /v1beta1");
}

void check_interaction(const KubeconfigEntry& entry, std::string_view version) {
    const std::string mode = entry.text("interactiveMode");
    if (mode == "Never" || mode == "IfAvailable") return;
    if (mode == "Always") {
        entry.complain("interactiveMode",
                       "Always is not supported: there is no terminal to prompt on");
    } else if (!mode.empty() || version == v1) {
        entry.complain("interactiveMode", "expects Never or IfAvailable");
    }
}

/// A command with a slash is a path; only a name without one is found in PATH.
std::string decode_command(const KubeconfigEntry& entry) {
    std::string command = entry.text("command");
    if (command.empty()) entry.complain("command", "is missing: the program to run");
    if (command.find('/') == std::string::npos) return command;
    return entry.path("command").string();
}

}  // namespace

ExecPlugin decode_exec_plugin(const KubeconfigEntry& entry) {
    ExecPlugin out;
    out.api_version = entry.text("apiVersion");
    check_api_version(entry, out.api_version);
    check_interaction(entry, out.api_version);
    out.command = decode_command(entry);
    out.arguments = entry.texts("args");
    for (const KubeconfigEntry& variable : entry.each("env")) {
        std::string name = variable.text("name");
        if (name.empty() || name.find('=') != std::string::npos)
            entry.complain("env", "expects a name for each variable");
        out.variables.emplace_back(std::move(name), variable.text("value"));
    }
    out.install_hint = entry.text("installHint");
    out.provides_cluster_info = entry.flag("provideClusterInfo");
    return out;
}

namespace {

bool is_header_value(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// RFC 9110's token characters, without the '%' that marks escapes, in lower case, for that is
/// how the API server reads a header's name.
std::string header_name_part(std::string_view text) {
    static constexpr std::string_view others = "!#$&'*+-.^_`|~";
    return lower_case(percent_encode_unless(
        text, [](char c) { return is_ascii_alnum(c) || others.find(c) != others.npos; }));
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
        entry.complain({},
                       "as-uid, as-groups and as-user-extra require as, the user to impersonate");
    return out;
}

void refuse_auth_provider(const KubeconfigEntry& entry) {
    const std::string name = entry.below("auth-provider").text("name");
    std::string hint = "is not supported; use an exec plugin instead";
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
        entry.complain({},
                       "client-certificate and client-key must be set together; one is missing");
    out.token = entry.text("token");
    if (!out.token.empty() && !is_bearer_token(out.token))
        entry.complain("token", "expects ASCII without blanks");
    out.token_file = entry.path("tokenFile");
    out.username = entry.text("username");
    out.password = entry.text("password");
    const bool has_token = !out.token.empty() || !out.token_file.empty();
    const bool has_password = !out.username.empty() || !out.password.empty();
    if (has_token && has_password)
        entry.complain({}, "has both a token and a password; remove one of them");
    if (entry.has("auth-provider")) refuse_auth_provider(entry);
    if (entry.has("exec") && !has_token && !has_password && out.certificate.empty())
        out.exec = decode_exec_plugin(entry.below("exec"));
    return out;
}

}  // namespace capstan::kubernetes::client
