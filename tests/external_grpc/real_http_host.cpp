#include "real_http_host.hpp"

#include <cctype>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <curl/curl.h>

#include <capstan/http.hpp>

namespace capstan::external_grpc {
namespace {

struct Exchanged {
    HttpRequest request{};
    capstan_http_done done = nullptr;
    void* user = nullptr;
    HttpReply reply{};
    CURLcode outcome = CURLE_OK;
};

std::size_t take_body(const char* bytes, std::size_t, std::size_t size, void* user) {
    static_cast<Exchanged*>(user)->reply.body.append(bytes, size);
    return size;
}

/// A line after the body has begun is a trailer.
std::size_t take_header(const char* bytes, std::size_t, std::size_t size, void* user) {
    HttpReply& reply = static_cast<Exchanged*>(user)->reply;
    const std::string_view line(bytes, size);
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/") || colon == std::string_view::npos) return size;
    std::string name(line.substr(0, colon));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n')) value.remove_suffix(1);
    HttpHeaders& place = reply.body.empty() ? reply.headers : reply.trailers;
    place.emplace_back(std::move(name), value);
    return size;
}

void run_exchange(void* user) noexcept {
    auto& exchange = *static_cast<Exchanged*>(user);
    const HttpRequest& request = exchange.request;
    const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
    curl_slist* headers = nullptr;
    for (const auto& [name, value] : request.headers)
        headers = curl_slist_append(headers, (name + ": " + value).c_str());
    const auto set = [&](CURLoption option, auto value) {
        curl_easy_setopt(curl.get(), option, value);
    };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE});
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(
            std::chrono::duration_cast<std::chrono::milliseconds>(request.timeout).count()));
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_WRITEDATA, user);
    set(CURLOPT_HEADERFUNCTION, &take_header);
    set(CURLOPT_HEADERDATA, user);
    exchange.outcome = curl_easy_perform(curl.get());
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    exchange.reply.status = static_cast<int>(status);
    curl_slist_free_all(headers);
}

std::vector<capstan_kv> lend_pairs(const HttpHeaders& pairs) {
    std::vector<capstan_kv> out;
    for (const auto& [name, value] : pairs) out.push_back({str(name), str(value)});
    return out;
}

void end_exchange(void* user, capstan_status status) noexcept {
    const std::unique_ptr<Exchanged> exchange(static_cast<Exchanged*>(user));
    if (status == CAPSTAN_OK && exchange->outcome == CURLE_OK) {
        const HttpReply& reply = exchange->reply;
        const auto headers = lend_pairs(reply.headers), trailers = lend_pairs(reply.trailers);
        const capstan_http_reply raw{sizeof raw, reply.status, array_of(headers), str(reply.body),
                                     array_of(trailers)};
        return exchange->done(exchange->user, CAPSTAN_OK, &raw, nullptr);
    }
    const bool is_late = exchange->outcome == CURLE_OPERATION_TIMEDOUT;
    const Error error{is_late ? ErrorCode::deadline : ErrorCode::unavailable,
                      exchange->request.name() + ": " + curl_easy_strerror(exchange->outcome)};
    const capstan_error raw = to_abi(error);
    exchange->done(exchange->user, raw.code, nullptr, &raw);
}

capstan_status send_really(const capstan_host* host, const capstan_http_request* raw,
                           capstan_http_done done, void* user) noexcept {
    auto exchange = std::make_unique<Exchanged>();
    exchange->request = HttpRequest(std::string(text(raw->method)), std::string(text(raw->url)));
    for (const capstan_kv& header : View<capstan_kv>(raw->headers))
        exchange->request.header(std::string(text(header.key)), std::string(text(header.value)));
    exchange->request.body = text(raw->body);
    exchange->request.timeout = std::chrono::milliseconds(raw->timeout_ms);
    exchange->done = done;
    exchange->user = user;
    const auto* exec = static_cast<const capstan_exec*>(host->service(host, CAPSTAN_SERVICE_EXEC));
    const capstan_status status =
        exec->blocking(host, &run_exchange, &end_exchange, exchange.get());
    if (status == CAPSTAN_OK) std::ignore = exchange.release();  // end_exchange frees it
    return status;
}

/// The service function of the fake host, for all other services.
decltype(capstan_host::service) fake_service = nullptr;

const void* find_service(const capstan_host* host, const char* id) noexcept {
    static const capstan_http http{sizeof http, 0, &send_really};
    return std::strcmp(id, CAPSTAN_SERVICE_HTTP) == 0 ? &http : fake_service(host, id);
}

}  // namespace

RealHttpHost::RealHttpHost() : handle_(*fake_.handle()) {
    fake_service = handle_.service;
    handle_.service = &find_service;
}

}  // namespace capstan::external_grpc
