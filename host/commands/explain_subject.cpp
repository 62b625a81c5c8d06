#include "commands/explain_subject.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/single_pass.hpp"
#include "commands/live_command.hpp"
#include "config/text.hpp"
#include "io/curl_http_client.hpp"
#include "io/gzip.hpp"
#include "io/text_format.hpp"
#include "io/url.hpp"

namespace capstan::commands {
namespace {

struct KindWords {
    std::string_view kind;
    std::array<std::string_view, 3> also;  ///< kubectl's other words for the kind
};

constexpr KindWords kind_words[] = {
    {"pod", {"pods", "po"}},
    {"group", {"groups", "nodegroup"}},
    {"node", {"nodes", "no"}},
    {"matrix", {}},
    {"deployment", {"deployments", "deploy", "deployment.apps"}},
    {"statefulset", {"statefulsets", "sts", "statefulset.apps"}},
    {"replicaset", {"replicasets", "rs", "replicaset.apps"}},
    {"job", {"jobs", "job.batch"}},
};

/// Empty: `word` is not a kind.
std::string_view kind_of(std::string_view word) {
    for (const KindWords& each : kind_words)
        if (word == each.kind || (!word.empty() && std::ranges::count(each.also, word) > 0))
            return each.kind;
    return {};
}

Error unknown_kind(const std::string& word) {
    const std::vector<std::string> known = explained_kinds();
    const std::string meant = config::suggestion(word, known);
    return {ErrorCode::invalid_argument,
            "unknown kind '" + config::shortened(word, 60) + "'" +
                (meant.empty() ? "; known: " + config::joined_names(known) : meant)};
}

struct NamespacedName {
    std::string ns, name;
};

Result<NamespacedName> parse_name(const std::string& text, const std::string& ns) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return NamespacedName{ns.empty() ? "default" : ns, text};
    NamespacedName out{text.substr(0, slash), text.substr(slash + 1)};
    if (!ns.empty() && ns != out.ns)
        return fail(ErrorCode::invalid_argument,
                    "'" + text + "' is not in the namespace of --namespace, " + ns);
    if (out.ns.empty() || out.name.empty())
        return fail(ErrorCode::invalid_argument, "'" + text + "' is not NAMESPACE/NAME");
    return out;
}

}  // namespace

std::vector<std::string> explained_kinds() {
    std::vector<std::string> out;
    for (const KindWords& each : kind_words) out.emplace_back(each.kind);
    return out;
}

Result<autoscaler::questions::Question> parse_question(const std::string& kind,
                                                       const std::string& name,
                                                       const std::string& ns) {
    std::string word = kind, subject = name;
    const std::size_t slash = kind.find('/');
    if (slash != std::string::npos && name.empty()) {
        word = kind.substr(0, slash);
        subject = kind.substr(slash + 1);
    }
    const std::string_view known = kind_of(word);
    if (known.empty()) return fail(unknown_kind(word));
    if (known == "matrix") {
        if (subject.empty()) return autoscaler::questions::Question{};
        return fail(ErrorCode::invalid_argument,
                    "'" + subject + "' was not expected: matrix covers all pods and groups");
    }
    if (subject.empty())
        return fail(ErrorCode::invalid_argument,
                    "the name of the " + std::string(known) + " is missing");
    if (known == "group") return autoscaler::questions::Question{.group = NodeGroupId(subject)};
    if (known == "node") return autoscaler::questions::Question{.node = subject};
    CAPSTAN_TRY(const NamespacedName full, parse_name(subject, ns));
    if (known == "pod")
        return autoscaler::questions::Question{.pod_ns = full.ns, .pod_name = full.name};
    return autoscaler::questions::Question{
        .pod_ns = full.ns,
        .workload_kind = std::string(autoscaler::daemon::workload_kind(known)),
        .workload_name = full.name};
}

namespace {

std::string path_of(const autoscaler::daemon::AdminQuestion& question) {
    const auto part = [](const std::string& text) { return percent_encode(text); };
    std::string out = "/api/v2/explain/";
    if (!question.pod.empty()) {
        out += "pod/" + part(question.pod_ns) + "/" + part(question.pod);
    } else if (!question.workload.empty()) {
        out += std::string(autoscaler::daemon::workload_word(question.workload_kind)) + "/" +
               part(question.pod_ns) + "/" + part(question.workload);
    } else if (!question.node.empty()) {
        out += "node/" + part(question.node);
    } else if (!question.group.empty()) {
        out += "group/" + part(question.group);
    } else {
        out += "matrix";
    }
    return question.as_text ? out + "?format=text" : out;
}

/// The text of the file; empty if `file` is empty.
Result<std::string> read_file(const std::string& file) {
    if (file.empty()) return std::string();
    Result<std::string> text = io::read_text(file);
    if (!text) return fail(ErrorCode::invalid_argument, text.error().message);
    if (io::is_blank(*text))
        return fail(ErrorCode::invalid_argument, file + ": " + std::string(io::empty_file));
    return text;
}

/// The message of an error reply: that of {"error":"..."}, or the first line if the reply is not a
/// daemon's.
std::string sentence_of(const HttpReply& reply) {
    boost::system::error_code error;
    const boost::json::value body = boost::json::parse(reply.body, error);
    const boost::json::object* const object = error ? nullptr : body.if_object();
    const boost::json::value* const text =
        object == nullptr ? nullptr : object->if_contains("error");
    if (text != nullptr && text->is_string()) return std::string(text->as_string());
    std::string_view line =
        std::string_view(reply.body).substr(0, reply.body.find_first_of("\r\n"));
    if (io::recognize_format(reply.body) == "HTML")
        line = "an HTML page; is this the admin port of capstan run?";
    return "HTTP status " + std::to_string(reply.status) +
           (line.empty() ? "" : ": " + config::shortened(line, 120));
}

Result<HttpReply> send_and_await(HttpRequest request, std::string ca_pem) {
    boost::asio::io_context io;
    io::CurlHttpClient client(io, {.tls = {.ca_pem = std::move(ca_pem)}});
    std::optional<Result<HttpReply>> out;
    client.send(std::move(request), [&](Result<HttpReply> reply) {
        out = std::move(reply);
        io.stop();
    });
    io.run();
    CAPSTAN_ASSERT(out, "the client has not answered the request");
    return *std::move(out);
}

}  // namespace

Result<std::string> ask_daemon(const DaemonAddress& daemon,
                               const autoscaler::daemon::AdminQuestion& question) {
    const std::string path = path_of(question);
    CAPSTAN_TRY(std::string ca_pem, read_file(daemon.ca_file));
    CAPSTAN_TRY(std::string token, read_file(daemon.token_file));
    const std::string base =
        daemon.url.ends_with('/') ? daemon.url.substr(0, daemon.url.size() - 1) : daemon.url;
    CAPSTAN_CHECK(io::parse_url(base).map_error(
        [&](Error e) { return within("--server " + base, std::move(e)); }));
    HttpRequest request("GET", base + path);
    // The daemon answers only after the pass that is running.
    request.within(std::chrono::minutes(2));
    while (token.ends_with('\n')) token.pop_back();
    if (!token.empty()) request.header("authorization", "Bearer " + token);
    CAPSTAN_TRY(HttpReply reply, send_and_await(std::move(request), std::move(ca_pem)));
    if (reply.status == 200) return std::move(reply.body);
    return fail(ErrorCode::unavailable, base + ": " + sentence_of(reply));
}

Result<std::string> ask_cluster(const LiveChoice& choice,
                                const autoscaler::daemon::AdminQuestion& question,
                                std::ostream& err) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto loaded_or = load_live_config(choice, err);
    if (!loaded_or) {
        err << loaded_or.error().message;
        return fail(ErrorCode::invalid_config, choice.config + " has errors");
    }
    const auto& loaded = *loaded_or;
    const std::uint64_t seed = random_seed();
    CAPSTAN_TRY(
        const auto host,
        autoscaler::PluginHost::start(
            loaded->config, loaded->plugins,
            {.seed = seed, .version = CAPSTAN_VERSION, .has_cluster = true, .is_dry_run = true}));
    CAPSTAN_TRY(const auto pass,
                autoscaler::daemon::decide_single_pass(loaded->config, *host,
                                                       {.version = CAPSTAN_VERSION, .seed = seed}));
    return explain_pass(*pass, question);
}

}  // namespace capstan::commands
