#include "commands/explain_live.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <capstan/url.hpp>

#include "commands/live_config.hpp"
#include "io/curl_http_client.hpp"
#include "io/url.hpp"
#include "runtime/config/text.hpp"
#include "runtime/daemon/single_pass.hpp"

namespace capstan::commands {
namespace {

std::string path_of(const runtime::AdminQuestion& question) {
    const auto part = [](const std::string& text) { return percent_encode(text); };
    std::string out = "/api/v1/explain/";
    if (!question.pod.empty()) {
        out += "pod/" + part(question.pod_ns) + "/" + part(question.pod);
    } else if (!question.workload.empty()) {
        out += std::string(runtime::workload_word(question.workload_kind)) + "/" +
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

/// Empty: no file is named.
Result<std::string> read_file(const std::string& file) {
    if (file.empty()) return std::string();
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in && !text.empty()) return text;
    return fail(ErrorCode::invalid_argument, file + ": cannot be read, or is empty");
}

/// What a refusal says: {"error":"..."}, or its first line where another server answers.
std::string sentence_of(const HttpReply& reply) {
    boost::system::error_code error;
    const boost::json::value body = boost::json::parse(reply.body, error);
    const boost::json::object* const object = error ? nullptr : body.if_object();
    const boost::json::value* const text =
        object == nullptr ? nullptr : object->if_contains("error");
    if (text != nullptr && text->is_string()) return std::string(text->as_string());
    const std::string_view line =
        std::string_view(reply.body).substr(0, reply.body.find_first_of("\r\n"));
    return "HTTP status " + std::to_string(reply.status) +
           (line.empty() ? "" : ": " + runtime::shortened(line, 120));
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
    return *std::move(out);
}

}  // namespace

Result<std::string> ask_daemon(const DaemonAddress& daemon,
                               const runtime::AdminQuestion& question) {
    const std::string path = path_of(question);
    CAPSTAN_TRY(std::string ca_pem, read_file(daemon.ca_file));
    CAPSTAN_TRY(std::string token, read_file(daemon.token_file));
    const std::string base =
        daemon.url.ends_with('/') ? daemon.url.substr(0, daemon.url.size() - 1) : daemon.url;
    CAPSTAN_CHECK(io::parse_url(base).map_error(
        [&](Error e) { return within("--server " + base, std::move(e)); }));
    HttpRequest request("GET", base + path);
    // It answers after the pass that is under way.
    request.within(std::chrono::minutes(2));
    while (token.ends_with('\n')) token.pop_back();
    if (!token.empty()) request.header("authorization", "Bearer " + token);
    CAPSTAN_TRY(HttpReply reply, send_and_await(std::move(request), std::move(ca_pem)));
    if (reply.status == 200) return std::move(reply.body);
    return fail(ErrorCode::unavailable, base + ": " + sentence_of(reply));
}

Result<std::string> ask_cluster(const std::string& config, const runtime::AdminQuestion& question,
                                std::ostream& err) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto loaded_or = load_live_config(config, err);
    if (!loaded_or) {
        err << loaded_or.error().message;
        return fail(ErrorCode::invalid_config, config + " is not sound");
    }
    const auto& loaded = *loaded_or;
    const std::uint64_t seed = random_seed();
    CAPSTAN_TRY(
        const auto host,
        runtime::PluginHost::start(
            loaded->config, loaded->plugins,
            {.seed = seed, .version = CAPSTAN_VERSION, .has_cluster = true, .is_dry_run = true}));
    CAPSTAN_TRY(const auto pass,
                runtime::decide_single_pass(loaded->config, *host,
                                            {.version = CAPSTAN_VERSION, .seed = seed}));
    return explain_pass(*pass, question);
}

}  // namespace capstan::commands
