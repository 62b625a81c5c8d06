#include "kubernetes/client/access/exec_credentials.hpp"

#include <chrono>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/base64.hpp>
#include <capstan/time_text.hpp>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

namespace json = boost::json;

void put(json::object& out, json::string_view key, const std::string& text) {
    if (!text.empty()) out[key] = text;
}

json::object cluster_info(const ExecCluster& cluster) {
    json::object out;
    put(out, "server", cluster.server);
    put(out, "tls-server-name", cluster.tls_server_name);
    if (cluster.insecure_skip_tls_verify) out["insecure-skip-tls-verify"] = true;
    put(out, "certificate-authority-data", base64_encode(cluster.ca_pem));
    put(out, "proxy-url", cluster.proxy_url);
    if (cluster.disable_compression) out["disable-compression"] = true;
    if (cluster.config) out["config"] = *cluster.config;
    return out;
}

bool is_text_or_absent(const json::object& object, json::string_view key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr || value->is_null() || value->is_string();
}

Unexpected refuse_answer(std::string why) {
    return fail(ErrorCode::unauthenticated, std::move(why));
}

Result<void> check_version(const json::object& answer, const std::string& api_version) {
    if (base::text_at(answer, "kind") != "ExecCredential")
        return refuse_answer("printed JSON that is not an ExecCredential");
    if (base::text_at(answer, "apiVersion") == api_version) return {};
    return fail(ErrorCode::invalid_config, "printed an ExecCredential whose version is not " +
                                               api_version + ", as the kubeconfig requires");
}

Result<void> check(const ExecAnswer& answer) {
    if (answer.certificate_pem.empty() != answer.key_pem.empty())
        return refuse_answer("printed only one of clientCertificateData and clientKeyData");
    if (answer.token.empty() && answer.key_pem.empty())
        return refuse_answer("printed neither a token nor a client certificate");
    if (!answer.token.empty() && !is_bearer_token(answer.token))
        return refuse_answer("printed a token with blanks or characters outside ASCII");
    if (answer.key_pem.empty()) return {};
    const auto pair = check_key_pair(answer.certificate_pem, answer.key_pem);
    if (!pair) return refuse_answer("printed an unusable key pair: " + pair.error().message);
    return {};
}

Result<ExecAnswer> read_status(const json::object& status) {
    for (const auto* key :
         {"token", "clientCertificateData", "clientKeyData", "expirationTimestamp"}) {
        if (!is_text_or_absent(status, key))
            return refuse_answer(std::string("printed a status whose ") + key + " is not text");
    }
    const auto text = [&](const char* key) { return std::string(base::text_at(status, key)); };
    ExecAnswer out{.token = text("token"),
                   .certificate_pem = text("clientCertificateData"),
                   .key_pem = text("clientKeyData")};
    CAPSTAN_CHECK(check(out));
    if (const std::string_view written = base::text_at(status, "expirationTimestamp");
        !written.empty()) {
        const auto expires = parse_rfc3339(written);
        if (!expires)
            return refuse_answer("printed an expirationTimestamp that is not an RFC 3339 time");
        out.expires = *expires;
    }
    return out;
}

}  // namespace

std::string exec_info(const ExecPlugin& plugin, const ExecCluster& cluster) {
    json::object spec{{"interactive", false}};
    if (plugin.provides_cluster_info) spec["cluster"] = cluster_info(cluster);
    return json::serialize(json::object{
        {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<ExecAnswer> parse_exec_answer(const std::string& api_version, std::string_view output) {
    json::error_code error;
    const json::value answer = json::parse(output, error);
    if (error || !answer.is_object())
        return refuse_answer("printed output that is not a JSON object");
    CAPSTAN_CHECK(check_version(answer.get_object(), api_version));
    const json::value* status = answer.get_object().if_contains("status");
    if (status == nullptr || !status->is_object()) return refuse_answer("printed no status");
    return read_status(status->get_object());
}

namespace {

/// With as much again by chance, the longest wait is a minute.
constexpr Duration longest_step = std::chrono::seconds(30);

std::string command_name(const ExecPlugin& plugin) {
    return "exec plugin " + io::printable(plugin.command, 200);
}

}  // namespace

ExecCredentials::ExecCredentials(io::Loop& loop, Options options)
    : loop_(loop),
      later_(loop),
      options_(std::move(options)),
      backoff_(options_.seed, longest_step) {}

void ExecCredentials::get(Done done) {
    if (const Credential* const fresh = find_fresh()) {
        later_.call([done = std::move(done), out = *fresh] { done(out); });
        return;
    }
    if (const auto error = find_backoff_error()) {
        later_.call([done = std::move(done), error = *error] { done(fail(error)); });
        return;
    }
    waiting_.push_back(std::move(done));
    if (waiting_.size() == 1) run();
}

void ExecCredentials::rejected(const Credential& credential) {
    if (credential_ == credential) credential_.reset();
}

const Credential* ExecCredentials::find_fresh() const {
    if (!credential_ || (expires_ && loop_.clock()->wall() >= *expires_)) return nullptr;
    return &*credential_;
}

std::optional<Error> ExecCredentials::find_backoff_error() const {
    const Duration now = loop_.monotonic();
    if (!failure_ || now >= backed_off_until_) return std::nullopt;
    Error out = *failure_;
    out.retry_after = backed_off_until_ - now;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*out.retry_after).count();
    out.message += " (retry in " + std::to_string(seconds) + " s)";
    return out;
}

void ExecCredentials::run() {
    auto started = start();
    if (started) {
        process_ = *std::move(started);
        return;
    }
    Error error = within(command_name(options_.plugin), std::move(started).error());
    later_.call([this, error = std::move(error)] { fail_all(error); });
}

Result<std::unique_ptr<io::ProgramProcess>> ExecCredentials::start() {
    CAPSTAN_TRY(const std::filesystem::path program, find_program());
    Environment environment = options_.environment;
    for (const auto& [name, value] : options_.plugin.variables) environment.set(name, value);
    environment.set("KUBERNETES_EXEC_INFO", exec_info(options_.plugin, options_.cluster));
    const io::ProgramRun run{.program = program,
                             .arguments = options_.plugin.arguments,
                             .environment = environment.lines(),
                             .deadline = options_.deadline,
                             .output_max = exec_output_max};
    return io::ProgramProcess::start(
        loop_, run, [this](Result<io::ProgramEnd> end) { on_end(std::move(end)); });
}

Result<std::filesystem::path> ExecCredentials::find_program() const {
    const ExecPlugin& plugin = options_.plugin;
    const bool is_path = plugin.command.find('/') != std::string::npos;
    std::error_code error;
    if (is_path && std::filesystem::exists(plugin.command, error))
        return std::filesystem::path(plugin.command);
    const auto found =
        is_path ? std::nullopt : io::find_in_path(plugin.command, options_.environment.get("PATH"));
    if (found) return *found;
    std::string why = is_path ? "the program does not exist" : "not found in PATH";
    if (!plugin.install_hint.empty()) why += "; " + io::printable(plugin.install_hint, 1024);
    return fail(ErrorCode::invalid_config, std::move(why));
}

void ExecCredentials::on_end(Result<io::ProgramEnd> end) {
    process_.reset();
    auto answer = answer_of(std::move(end));
    if (!answer) {
        fail_all(within(command_name(options_.plugin), std::move(answer).error()));
        return;
    }
    failure_.reset();
    complete_all(Result<Credential>(keep(*std::move(answer))));
}

Result<ExecAnswer> ExecCredentials::answer_of(Result<io::ProgramEnd> end) const {
    if (!end) return fail(std::move(end).error());
    const std::string said = io::last_words(end->errors);
    const std::string suffix = said.empty() ? "" : "; it wrote: " + said;
    if (!end->status.is_success())
        return fail(ErrorCode::unavailable, end->status.sentence() + suffix);
    auto answer = parse_exec_answer(options_.plugin.api_version, end->output);
    if (!answer) answer.error().message += suffix;
    return answer;
}

const Credential& ExecCredentials::keep(ExecAnswer answer) {
    io::known_secrets().add(answer.token);
    io::known_secrets().add(answer.key_pem);
    Credential out{options_.headers, std::move(answer.certificate_pem), std::move(answer.key_pem)};
    if (!answer.token.empty()) out.headers.emplace_back("authorization", "Bearer " + answer.token);
    expires_ = answer.expires;
    return credential_.emplace(std::move(out));
}

void ExecCredentials::fail_all(Error error) {
    const Duration now = loop_.monotonic();
    backed_off_until_ = now + backoff_.next(now);
    failure_ = error;
    complete_all(fail(std::move(error)));
}

/// `result` must not be a member, because a callback may destroy this object.
void ExecCredentials::complete_all(const Result<Credential>& result) {
    const auto alive = later_.watch();
    for (const Done& done : std::exchange(waiting_, {})) {
        // The callback may destroy this object, or call get().
        if (alive.expired()) return;
        done(result);
    }
}

}  // namespace capstan::kubernetes::client
