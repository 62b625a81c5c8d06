#include "autoscaler/daemon/admin_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <capstan/ascii.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "io/known_secrets.hpp"
#include "io/url.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr const char* plain = "text/plain; charset=utf-8";
constexpr const char* json = "application/json";

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

HttpReply reply(int status, const char* type, std::string body) {
    HttpReply out;
    out.status = status;
    out.headers = {{"content-type", type}, {"cache-control", "no-store"}};
    out.body = std::move(body);
    return out;
}

/// For bodies with texts of servers and plugins, which may repeat credentials that they were sent.
HttpReply redacted_reply(int status, const char* type, std::string body) {
    return reply(status, type, io::redacted(std::move(body)));
}

HttpReply refusal(int status, std::string_view message) {
    record::JsonText out;
    out.begin_object();
    out.key("error");
    out.text(message);
    out.end_object();
    return redacted_reply(status, json, out.take() + "\n");
}

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        out.push_back(io::decode_escapes(path.substr(0, slash)));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return out;
}

struct WorkloadKind {
    std::string_view word, kind;
};
constexpr std::array<WorkloadKind, 4> workload_kinds{{{"deployment", "Deployment"},
                                                      {"replicaset", "ReplicaSet"},
                                                      {"statefulset", "StatefulSet"},
                                                      {"job", "Job"}}};

std::optional<AdminQuestion> find_question(std::string_view target) {
    constexpr std::string_view start = "/api/v2/explain/";
    const std::string_view path = path_of(target);
    if (!path.starts_with(start)) return std::nullopt;
    const std::vector<std::string> parts = parts_of(path.substr(start.size()));
    AdminQuestion out;
    out.as_text = target.substr(path.size()) == "?format=text";
    if (parts.size() == 3 && parts[0] == "pod") {
        out.pod_ns = parts[1];
        out.pod = parts[2];
    } else if (parts.size() == 3 && !workload_kind(parts[0]).empty()) {
        out.workload_kind = workload_kind(parts[0]);
        out.pod_ns = parts[1];
        out.workload = parts[2];
    } else if (parts.size() == 2 && parts[0] == "node") {
        out.node = parts[1];
    } else if (parts.size() >= 2 && parts[0] == "group") {
        // Ids of groups may have slashes of their own.
        for (std::size_t i = 1; i < parts.size(); ++i) out.group += (i > 1 ? "/" : "") + parts[i];
    }
    const bool is_matrix = parts.size() == 1 && parts[0] == "matrix";
    const bool is_asked = is_matrix || !out.pod.empty() || !out.workload.empty() ||
                          !out.node.empty() || !out.group.empty();
    return is_asked ? std::optional(std::move(out)) : std::nullopt;
}

int status_of(const Error& error) {
    switch (error.code) {
        case ErrorCode::not_found: return 404;
        case ErrorCode::busy: return 429;
        case ErrorCode::unavailable: return 503;
        default: return 500;
    }
}

HttpReply health(const std::string& complaint) {
    return complaint.empty() ? reply(200, plain, "OK")
                             : redacted_reply(500, plain, "Error: " + complaint);
}

/// A page of links. It names no value, so it is the same on every host.
std::string index_page(bool has_snapshot) {
    constexpr std::array<std::array<std::string_view, 2>, 12> places{
        {{"/readyz", "readiness: what it waits for, and what is missing"},
         {"/livez", "liveness: fails if a restart is needed"},
         {"/health-check", "fails if passes stop or fail; also at /healthz"},
         {"/metrics", "metrics for Prometheus"},
         {"/api/v2/status", "leader, last pass, configuration in force; also at /status"},
         {"/api/v2/decisions", "actions of the last passes, with reasons"},
         {"/api/v2/explain/matrix?format=text",
          "each kind of pending pods against each node group"},
         {"/api/v2/groups", "node groups as of the last pass"},
         {"/api/v2/plugins", "plugins and their state"},
         {"/api/v2/config", "the configuration in force"},
         {"/snapshotz", "input of the next pass (responds after it)"},
         {"",
          "/api/v2/explain/pod/NAMESPACE/NAME, deployment/NAMESPACE/NAME, node/NAME, group/ID: "
          "explanation as JSON; ?format=text: as text"}}};
    std::string out =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<title>Capstan</title></head><body>\n<h1>Capstan</h1>\n<ul>\n";
    for (const auto& [path, what] : places) {
        if (path == "/snapshotz" && !has_snapshot) continue;
        out += "<li>";
        if (!path.empty())
            out += "<a href=\"" + std::string(path) + "\">" + std::string(path) + "</a>: ";
        out += std::string(what) + "</li>\n";
    }
    return out + "</ul>\n</body></html>\n";
}

HttpReply answer_at_once(const AdminSources& sources, std::string_view path) {
    if (path == "/" || path.empty())
        return reply(200, "text/html; charset=utf-8", index_page(sources.snapshot != nullptr));
    if (path == "/metrics")
        return reply(200, "text/plain; version=0.0.4; charset=utf-8", sources.metrics());
    if (path == "/health-check" || path == "/healthz") return health(sources.complaint());
    if (path == "/livez") return health(sources.stuck());
    if (path == "/readyz") {
        const std::string because = sources.unready();
        if (!because.empty()) return redacted_reply(503, plain, because);
        const std::string absent = sources.absent ? sources.absent() : std::string();
        return redacted_reply(200, plain, absent.empty() ? "OK" : "OK\n" + absent);
    }
    const std::map<std::string_view, const std::function<std::string()>*> documents{
        {"/api/v2/status", &sources.status}, {"/status", &sources.status},
        {"/api/v2/groups", &sources.groups}, {"/api/v2/plugins", &sources.plugins},
        {"/api/v2/config", &sources.config}, {"/api/v2/decisions", &sources.decisions}};
    const auto document = documents.find(path);
    if (document == documents.end()) return refusal(404, "no page at this path; / lists all pages");
    return redacted_reply(200, json, (*document->second)() + "\n");
}

/// With upstream's statuses.
DebugSnapshot::Answer snapshot_to(const std::function<void(HttpReply)>& send) {
    return [send](Result<TakenSnapshot> taken) {
        if (!taken) return send(reply(status_of(taken.error()), plain, taken.error().message));
        send(reply(taken->has_failed ? 500 : 200, json, std::move(taken->json)));
    };
}

}  // namespace

std::string_view workload_kind(std::string_view word) {
    const auto at = std::ranges::find(workload_kinds, word, &WorkloadKind::word);
    return at == workload_kinds.end() ? std::string_view() : at->kind;
}

std::string_view workload_word(std::string_view kind) {
    const auto at = std::ranges::find(workload_kinds, kind, &WorkloadKind::kind);
    return at == workload_kinds.end() ? std::string_view() : at->word;
}

bool is_probe(std::string_view target) {
    const std::string_view path = path_of(target);
    return path == "/health-check" || path == "/healthz" || path == "/livez" || path == "/readyz";
}

void answer_admin(const AdminSources& sources, std::string_view method, std::string_view target,
                  const std::function<void(HttpReply)>& send) {
    if (method != "GET" && method != "HEAD")
        return send(refusal(405, "only GET and HEAD are allowed"));
    if (path_of(target) == "/snapshotz" && sources.snapshot)
        return sources.snapshot(snapshot_to(send));
    std::optional<AdminQuestion> question = find_question(target);
    if (!question) return send(answer_at_once(sources, path_of(target)));
    const char* const type = question->as_text ? plain : json;
    sources.explain(*std::move(question), [send, type](Result<std::string> answer) {
        send(answer ? redacted_reply(200, type, *std::move(answer))
                    : refusal(status_of(answer.error()), answer.error().message));
    });
}

namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20;

/// Empty: no file is named.
Result<std::string> read_file(const std::string& file, const char* key) {
    if (file.empty()) return std::string();
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in && !text.empty() && text.size() <= file_bytes_max) return text;
    return fail(ErrorCode::invalid_config, std::string("admin.") + key + ": " + file +
                                               " is empty, unreadable or larger than 1 MiB");
}

Result<std::string> read_token(const std::string& file) {
    CAPSTAN_TRY(std::string token, read_file(file, "bearer_token_file"));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    if (token.empty() && !file.empty())
        return fail(ErrorCode::invalid_config,
                    "admin.bearer_token_file: " + file + " contains no token");
    io::known_secrets().add(token);
    return token;
}

/// "[::1]:8085" -> "::1", 8085. The configuration was checked to have a port.
void set_address(io::HttpServer::Options& out, std::string_view listen) {
    const std::size_t colon = listen.rfind(':');
    std::string_view host = listen.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const std::string_view port = listen.substr(colon + 1);
    std::from_chars(port.data(), port.data() + port.size(), out.port);
    out.address = host.empty() ? "::" : std::string(host);
}

HttpReply unauthorized() {
    HttpReply out;
    out.status = 401;
    out.headers = {{"www-authenticate", "Bearer"}, {"content-type", "application/json"}};
    out.body = "{\"error\":\"bearer token required\"}\n";
    return out;
}

}  // namespace

bool has_token(std::string_view authorization, std::string_view token) {
    constexpr std::string_view scheme = "bearer ";  // not case-sensitive, see RFC 9110
    if (lower_case(authorization.substr(0, scheme.size())) != scheme) return false;
    const std::string_view sent = authorization.substr(scheme.size());
    unsigned difference = sent.size() == token.size() ? 0 : 1;
    for (std::size_t i = 0; i < token.size(); ++i)
        difference |= static_cast<unsigned char>(token[i]) ^
                      static_cast<unsigned char>(i < sent.size() ? sent[i] : '\0');
    return difference == 0;
}

io::HttpServer::Options admin_limits() {
    return {.makes_room = true,
            .max_header_bytes = 16u << 10,
            .max_body_bytes = 64u << 10,
            .max_unsent_total = 64u << 20,
            // Until its request has come, a probe cannot be told from an idle connection.
            .head_timeout = std::chrono::seconds(2),
            .request_timeout = std::chrono::seconds(5),
            .idle_timeout = std::chrono::seconds(5)};
}

Result<std::unique_ptr<io::HttpServer>> serve_admin(const config::Admin& config,
                                                    boost::asio::io_context& io,
                                                    AdminSources sources,
                                                    io::HttpServer::Options options) {
    if (config.listen.empty()) return nullptr;
    set_address(options, config.listen);
    options.max_connections = static_cast<std::size_t>(config.max_connections);
    options.max_connections_per_peer = static_cast<std::size_t>(config.max_connections_per_peer);
    CAPSTAN_TRY(options.certificate_pem,
                read_file(config.tls_certificate_file, "tls_certificate_file"));
    CAPSTAN_TRY(options.key_pem, read_file(config.tls_key_file, "tls_key_file"));
    io::known_secrets().add(options.key_pem);
    CAPSTAN_TRY(const std::string token, read_token(config.bearer_token_file));
    auto handler = [token, sources = std::move(sources)](const io::ServedRequest& request,
                                                         const io::Responder& responder) {
        const bool may_ask = token.empty() || is_probe(request.target) ||
                             has_token(request.header("authorization"), token);
        if (!may_ask) return responder.send(unauthorized());
        answer_admin(sources, request.method, request.target,
                     [responder](HttpReply reply) { responder.send(std::move(reply)); });
    };
    auto server = io::HttpServer::listen(io, options, handler);
    // Hosts without IPv6 have no address for all of it.
    if (!server && options.address == "::") {
        options.address = "0.0.0.0";
        server = io::HttpServer::listen(io, std::move(options), std::move(handler));
    }
    if (!server) {
        Error error = within("admin.listen", std::move(server).error());
        error.message += "; choose another address in admin.listen";
        return fail(std::move(error));
    }
    return *std::move(server);
}

}  // namespace capstan::autoscaler::daemon
