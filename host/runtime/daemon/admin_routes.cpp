#include "runtime/daemon/admin_routes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "io/known_secrets.hpp"
#include "runtime/record/json_text.hpp"

namespace capstan::runtime {
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

/// What may have come from servers and plugins, which may repeat what they were sent.
HttpReply told(int status, const char* type, std::string body) {
    return reply(status, type, io::redacted(std::move(body)));
}

HttpReply refusal(int status, std::string_view message) {
    JsonText out;
    out.begin_object();
    out.key("error");
    out.text(message);
    out.end_object();
    return told(status, json, out.take() + "\n");
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// A part of a path without its percent signs; what is no escape stays.
std::string decoded(std::string_view part) {
    std::string out;
    for (std::size_t i = 0; i < part.size(); ++i) {
        const bool is_escape = part[i] == '%' && i + 2 < part.size() &&
                               hex_digit(part[i + 1]) >= 0 && hex_digit(part[i + 2]) >= 0;
        if (is_escape) {
            out += static_cast<char>(hex_digit(part[i + 1]) * 16 + hex_digit(part[i + 2]));
            i += 2;
        } else {
            out += part[i];
        }
    }
    return out;
}

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        out.push_back(decoded(path.substr(0, slash)));
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
    constexpr std::string_view start = "/api/v1/explain/";
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
    return complaint.empty() ? reply(200, plain, "OK") : told(500, plain, "Error: " + complaint);
}

/// A page of links. It names no value, so it is the same on every host.
std::string index_page(bool has_snapshot) {
    constexpr std::array<std::array<std::string_view, 2>, 12> places{
        {{"/readyz", "whether it is ready, and what it waits for or does without"},
         {"/livez", "whether it must be restarted"},
         {"/health-check", "whether passes succeed; also /healthz"},
         {"/metrics", "for Prometheus"},
         {"/api/v1/status", "who leads, the last pass, the configuration in force; also /status"},
         {"/api/v1/decisions", "the last passes: what was done, and why"},
         {"/api/v1/explain/matrix?format=text", "every pending class of pods against every group"},
         {"/api/v1/groups", "node groups as the last pass saw them"},
         {"/api/v1/plugins", "plugins, and whether they run"},
         {"/api/v1/config", "the configuration as it is understood"},
         {"/snapshotz", "what the next pass sees"},
         {"",
          "/api/v1/explain/pod/NAMESPACE/NAME, deployment/NAMESPACE/NAME, node/NAME, group/ID: "
          "why; with ?format=text to read"}}};
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
        if (!because.empty()) return told(503, plain, because);
        const std::string absent = sources.absent ? sources.absent() : std::string();
        return told(200, plain, absent.empty() ? "OK" : "OK\n" + absent);
    }
    const std::map<std::string_view, const std::function<std::string()>*> documents{
        {"/api/v1/status", &sources.status}, {"/status", &sources.status},
        {"/api/v1/groups", &sources.groups}, {"/api/v1/plugins", &sources.plugins},
        {"/api/v1/config", &sources.config}, {"/api/v1/decisions", &sources.decisions}};
    const auto document = documents.find(path);
    if (document == documents.end())
        return refusal(404, "there is nothing at this path; / lists what there is");
    return told(200, json, (*document->second)() + "\n");
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
    if (method != "GET" && method != "HEAD") return send(refusal(405, "only GET is answered"));
    if (path_of(target) == "/snapshotz" && sources.snapshot)
        return sources.snapshot(snapshot_to(send));
    std::optional<AdminQuestion> question = find_question(target);
    if (!question) return send(answer_at_once(sources, path_of(target)));
    const char* const type = question->as_text ? plain : json;
    sources.explain(*std::move(question), [send, type](Result<std::string> answer) {
        send(answer ? told(200, type, *std::move(answer))
                    : refusal(status_of(answer.error()), answer.error().message));
    });
}

}  // namespace capstan::runtime
