#include "runtime/daemon/admin_server.hpp"

#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "io/known_secrets.hpp"

namespace capstan::runtime {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20;

/// Empty: no file is named.
Result<std::string> read_file(const std::string& file, const char* key) {
    if (file.empty()) return std::string();
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in && !text.empty() && text.size() <= file_bytes_max) return text;
    return fail(ErrorCode::invalid_config,
                std::string("admin.") + key + ": " + file + " cannot be read, or is empty");
}

Result<std::string> read_token(const std::string& file) {
    CAPSTAN_TRY(std::string token, read_file(file, "bearer_token_file"));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    if (token.empty() && !file.empty())
        return fail(ErrorCode::invalid_config,
                    "admin.bearer_token_file: " + file + " has no token");
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
    out.body = "{\"error\":\"a bearer token is needed\"}\n";
    return out;
}

}  // namespace

bool has_token(std::string_view authorization, std::string_view token) {
    constexpr std::string_view scheme = "Bearer ";
    if (!authorization.starts_with(scheme)) return false;
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
            // Nothing but a request tells a probe from a connection that only takes a place.
            .head_timeout = std::chrono::seconds(2),
            .request_timeout = std::chrono::seconds(5),
            .idle_timeout = std::chrono::seconds(5)};
}

Result<std::unique_ptr<io::HttpServer>> serve_admin(const Admin& config,
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
        error.message += "; choose another in [admin] listen";
        return fail(std::move(error));
    }
    return *std::move(server);
}

}  // namespace capstan::runtime
