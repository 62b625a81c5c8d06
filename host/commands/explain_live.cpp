#include "commands/explain_live.hpp"

#include <csignal>
#include <fstream>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "commands/live_config.hpp"
#include "io/curl_http_client.hpp"
#include "kubernetes/client/paths.hpp"
#include "runtime/daemon/single_pass.hpp"

namespace capstan::commands {
namespace {

Result<std::string> path_of(const runtime::AdminQuestion& question) {
    const auto part = [](const std::string& text) { return kubernetes::percent_encoded(text); };
    std::string out = "/api/v1/explain/";
    if (!question.pod.empty()) {
        out += "pod/" + part(question.pod_ns) + "/" + part(question.pod);
    } else if (!question.node.empty()) {
        out += "node/" + part(question.node);
    } else if (!question.group.empty()) {
        out += "group/" + part(question.group);
    } else {
        return fail(ErrorCode::invalid_argument,
                    "a daemon is not asked for all of it at once; use --live");
    }
    return question.as_text ? out + "?format=text" : out;
}

Result<void> add_token(HttpRequest& request, const std::string& file) {
    if (file.empty()) return {};
    std::ifstream in(file);
    std::string token;
    if (!std::getline(in, token))
        return fail(ErrorCode::invalid_argument, file + ": cannot be read");
    request.header("authorization", "Bearer " + token);
    return {};
}

/// What a refusal says: {"error":"..."}.
std::string sentence_of(const HttpReply& reply) {
    boost::system::error_code error;
    const boost::json::value body = boost::json::parse(reply.body, error);
    const boost::json::object* const object = error ? nullptr : body.if_object();
    const boost::json::value* const text =
        object == nullptr ? nullptr : object->if_contains("error");
    if (text != nullptr && text->is_string()) return std::string(text->as_string());
    return "HTTP status " + std::to_string(reply.status);
}

Result<HttpReply> send(HttpRequest request) {
    boost::asio::io_context io;
    io::CurlHttpClient client(io);
    std::optional<Result<HttpReply>> out;
    client.send(std::move(request), [&](Result<HttpReply> reply) {
        out = std::move(reply);
        io.stop();
    });
    io.run();
    return *std::move(out);
}

}  // namespace

Result<std::string> ask_daemon(const std::string& url, const std::string& token_file,
                               const runtime::AdminQuestion& question) {
    CAPSTAN_TRY(const std::string path, path_of(question));
    const std::string base = url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
    HttpRequest request("GET", base + path);
    // It answers after the pass that is under way.
    request.within(std::chrono::minutes(2));
    CAPSTAN_CHECK(add_token(request, token_file));
    CAPSTAN_TRY(HttpReply reply, send(std::move(request)));
    if (reply.status == 200) return std::move(reply.body);
    return fail(ErrorCode::unavailable, base + ": " + sentence_of(reply));
}

Result<std::string> ask_cluster(const std::string& config, const runtime::AdminQuestion& question,
                                std::ostream& err) {
    std::signal(SIGPIPE, SIG_IGN);
    CAPSTAN_TRY(const auto loaded, load_live_config(config, err));
    const std::uint64_t seed = random_seed();
    CAPSTAN_TRY(const auto host,
                runtime::PluginHost::start(loaded->config, loaded->plugins,
                                           {.seed = seed, .version = CAPSTAN_VERSION}));
    CAPSTAN_TRY(const auto pass,
                runtime::decide_single_pass(loaded->config, *host,
                                            {.version = CAPSTAN_VERSION, .seed = seed}));
    return explain_pass(*pass, question);
}

}  // namespace capstan::commands
