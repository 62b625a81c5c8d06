#include "io/curl_transfer.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <capstan/ascii.hpp>

#include "io/file_descriptor.hpp"
#include "io/http_syntax.hpp"
#include "io/printable.hpp"
#include "io/proxy.hpp"
#include "io/url.hpp"

namespace capstan::io {

namespace {

constexpr std::size_t header_bytes_limit = CAPSTAN_HTTP_MAX_REPLY_HEAD;
constexpr std::string_view head_too_long =
    "response headers are too long: at most 100 KiB for one header, 256 KiB in total";
constexpr long stream_buffer = 4 << 10;
constexpr long connect_timeout_ms = 30'000;
constexpr long keep_alive_s = 30;
/// TCP_USER_TIMEOUT: how long sent data may stay unacknowledged. Without it, TCP keeps a dead
/// connection for a quarter of an hour, and requests would go on using it.
constexpr unsigned unacknowledged_max_ms = 45'000;

long milliseconds(Duration d) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(d).count();
    return static_cast<long>(std::clamp<std::int64_t>(ms, 1, 24 * 3600 * 1000));
}

bool has_header(const HttpRequest& request, std::string_view name) {
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [name](const auto& header) { return lower_case(header.first) == name; });
}

/// A blob that borrows `pem`, which outlives the transfer.
curl_blob blob_of(const std::string& pem) {
    return {const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
}

curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* to) noexcept {
    const int fd = ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    if (fd < 0) return CURL_SOCKET_BAD;
    close_on_fork(fd);
    return fd;
}

int close_socket(void*, curl_socket_t fd) noexcept {
    keep_on_fork(fd);
    return ::close(fd);
}

int on_socket(void*, curl_socket_t socket, curlsocktype) noexcept {
    // On a system without this option, only keep-alive detects a dead connection.
    std::ignore = setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_max_ms,
                             sizeof unacknowledged_max_ms);
    return CURL_SOCKOPT_OK;
}

ErrorCode code_of(CURLcode code) {
    switch (code) {
        case CURLE_OPERATION_TIMEDOUT: return ErrorCode::deadline;
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL: return ErrorCode::invalid_argument;
        case CURLE_FILESIZE_EXCEEDED: return ErrorCode::quota;
        default: return ErrorCode::unavailable;
    }
}

}  // namespace

Result<std::unique_ptr<CurlTransfer>> CurlTransfer::make(
    HttpRequest request, std::optional<HttpClient::Listener> listener, Options options) {
    CAPSTAN_TRY(const Url url, parse_url(request.url));
    CAPSTAN_CHECK(check_syntax(request));
    CAPSTAN_CHECK(check_flags(request, url.scheme));
    std::unique_ptr<CurlTransfer> transfer(
        new CurlTransfer(std::move(request), std::move(listener), std::move(options)));
    if (!transfer->handle_) return fail(ErrorCode::internal, "libcurl returned no handle");
    transfer->set_up();
    return transfer;
}

CurlTransfer::CurlTransfer(HttpRequest request, std::optional<HttpClient::Listener> listener,
                           Options options)
    : request_(std::move(request)),
      listener_(std::move(listener)),
      options_(std::move(options)),
      handle_(curl_easy_init()) {}

void CurlTransfer::set_up() {
    CURL* const curl = handle();
    curl_easy_setopt(curl, CURLOPT_PRIVATE, this);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_.data());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, http_version());
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, request_.has(CAPSTAN_HTTP_PATH_AS_IS) ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!listener_) {
        curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE,
                         static_cast<curl_off_t>(request_.max_reply_bytes));
    }
    if (options_.gzip) curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
    // In a pause libcurl keeps the decompressed content of a whole buffer, which may be a thousand
    // times as large, so the buffer is small.
    if (options_.gzip && listener_) curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, stream_buffer);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, options_.user_agent.c_str());
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    set_connection();
    set_tls();
    set_target();
    set_body();
    set_headers();
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &on_send);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

long CurlTransfer::http_version() const noexcept {
    if (request_.has(CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE)) return CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    const bool is_first = options_.http1 && !request_.has(CAPSTAN_HTTP_2);
    return is_first ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;
}

/// libcurl verifies the server's certificate against the URL's host. So `server_name` becomes the
/// URL's host, and CURLOPT_CONNECT_TO leads to the real one.
void CurlTransfer::set_target() {
    const std::string& name = options_.tls->server_name;
    if (name.empty() || !request_.url.starts_with("https://")) {
        curl_easy_setopt(handle(), CURLOPT_URL, request_.url.c_str());
        return;
    }
    const std::size_t begin = std::string_view("https://").size();
    const std::size_t end = std::min(request_.url.find_first_of("/?#", begin), request_.url.size());
    const std::string authority = request_.url.substr(begin, end - begin);
    const Url url = *parse_url(request_.url);  // `make` has checked it
    const std::string port = std::to_string(url.port);
    const std::string route = name + ":" + port + ":" + url.host + ":" + port;
    connect_to_.reset(curl_slist_append(nullptr, route.c_str()));
    curl_easy_setopt(handle(), CURLOPT_CONNECT_TO, connect_to_.get());
    const std::string named = "https://" + name + ":" + port + request_.url.substr(end);
    curl_easy_setopt(handle(), CURLOPT_URL, named.c_str());
    if (!has_header(request_, "host")) add_header("Host: " + authority);
}

void CurlTransfer::set_connection() {
    CURL* const curl = handle();
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     std::min(connect_timeout_ms, milliseconds(request_.timeout)));
    // A cancelled request must not wait for the end of name resolution.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    // Set also where it is empty: proxy_for() has read the environment, and supports more of it
    // than libcurl does.
    curl_easy_setopt(curl, CURLOPT_PROXY, options_.proxy.c_str());
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "");
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, keep_alive_s);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, keep_alive_s / 2);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, &close_socket);
    curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, &on_socket);
    if (request_.has(CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE)) {
        // libcurl 7.88 loses the second request of such a connection.
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    }
    // Requests that begin together wait for one HTTP/2 connection that can carry them all.
    if (request_.url.starts_with("https://")) curl_easy_setopt(curl, CURLOPT_PIPEWAIT, 1L);
}

void CurlTransfer::set_tls() {
    CURL* const curl = handle();
    const TlsOptions& tls = *options_.tls;
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
    if (!tls.ca_pem.empty()) {
        curl_blob ca = blob_of(tls.ca_pem);
        curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &ca);
        // Otherwise the system's authorities would be trusted as well.
        curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
    }
    if (tls.certificate_pem.empty()) return;
    curl_blob certificate = blob_of(tls.certificate_pem);
    curl_blob key = blob_of(tls.key_pem);
    curl_easy_setopt(curl, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(curl, CURLOPT_SSLKEY_BLOB, &key);
}

void CurlTransfer::set_body() {
    CURL* const curl = handle();
    if (request_.method == "HEAD") {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
        return;
    }
    // A POST, PUT or PATCH without a body still has the header Content-Length: 0.
    const bool has_body = !request_.body.empty() || request_.method == "POST" ||
                          request_.method == "PUT" || request_.method == "PATCH";
    if (has_body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request_.body.size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request_.body.c_str());
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void CurlTransfer::set_headers() {
    // An empty header prevents libcurl from adding its own.
    if (!has_header(request_, "expect")) add_header("Expect:");
    if (!has_header(request_, "content-type")) add_header("Content-Type:");
    for (const auto& [name, value] : request_.headers) {
        std::string line = name;
        line.append(trimmed(value).empty() ? ";" : ": " + value);
        add_header(line);
    }
    curl_easy_setopt(handle(), CURLOPT_HTTPHEADER, header_list_.get());
}

void CurlTransfer::add_header(const std::string& line) {
    curl_slist* const longer = curl_slist_append(header_list_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    std::ignore = header_list_.release();  // part of `longer` now
    header_list_.reset(longer);
}

std::string CurlTransfer::message(std::string_view why) const {
    // libcurl's message names the unreachable host, but not whether that is the server or the
    // proxy.
    const std::string way =
        options_.proxy.empty() ? "" : " through proxy " + without_login(options_.proxy);
    return printable(request_.name(), 512) + way + ": " + std::string(why);
}

/// Why the request failed, with a hint where one side uses TLS and the other does not.
std::string CurlTransfer::reason_of(CURLcode code) const {
    std::string why = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
    const bool is_secure = request_.url.starts_with("https:");
    if (is_secure && code == CURLE_SSL_CONNECT_ERROR &&
        why.find("wrong version number") != std::string::npos)
        return "the server does not use TLS; try http:// (" + why + ")";
    long connections = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_NUM_CONNECTS, &connections);
    const bool is_no_answer =
        code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_UNSUPPORTED_PROTOCOL;
    // On a reused connection the server has spoken HTTP before.
    if (!is_secure && is_no_answer && connections > 0 && header_bytes_ == 0)
        return why + "; the server may require TLS: try https://";
    return why;
}

Result<HttpReply> CurlTransfer::take_result(CURLcode code) {
    if (code == CURLE_OK) return std::move(reply_);
    if (is_head_too_long(code)) return fail(ErrorCode::quota, message(head_too_long));
    if (is_too_long_ || code == CURLE_FILESIZE_EXCEEDED) {
        return fail(ErrorCode::quota, message("the response has more than " +
                                              std::to_string(request_.max_reply_bytes) + " bytes"));
    }
    if (is_too_fast_) {
        return fail(ErrorCode::unavailable,
                    message("received data faster than it could be processed over HTTP/2; retrying "
                            "over HTTP/1.1"));
    }
    if (is_other_version_) {
        return fail(
            ErrorCode::unavailable,
            message("the server does not support HTTP/2 over TLS, which the request requires"));
    }
    Error error{code_of(code),
                message(is_resend_refused_ ? "the connection was lost before a response"
                                           : reason_of(code))};
    if (sent_ && error.code == ErrorCode::unavailable) error.provider_code = connection_lost;
    if (code == CURLE_PEER_FAILED_VERIFICATION) error.provider_code = untrusted_certificate;
    return fail(std::move(error));
}

/// For a header beyond its own limit, libcurl reports CURLE_OUT_OF_MEMORY, newer versions 100
/// (CURLE_TOO_LARGE).
bool CurlTransfer::is_head_too_long(CURLcode code) const {
    const bool is_refused = code == CURLE_OUT_OF_MEMORY || static_cast<int>(code) == 100;
    return header_bytes_ > header_bytes_limit || (is_refused && sent_ && !has_head_);
}

/// Whether the handshake has chosen HTTP/2, where the request demands it. libcurl itself would fall
/// back to HTTP/1.1.
bool CurlTransfer::is_promised_version() const {
    if (!request_.has(CAPSTAN_HTTP_2)) return true;
    curl_tlssessioninfo* session = nullptr;
    if (curl_easy_getinfo(handle_.get(), CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
        session == nullptr || session->internals == nullptr)
        return false;
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(static_cast<const SSL*>(session->internals), &chosen, &size);
    return std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2";
}

/// Called before each attempt. Where a kept connection ends without an answer, libcurl repeats the
/// request by itself. A request that may change something must not be repeated, because the server
/// may have carried it out.
bool CurlTransfer::may_be_sent_now() {
    is_other_version_ = !is_promised_version();
    if (is_other_version_) return false;
    const bool only_reads = request_.method == "GET" || request_.method == "HEAD";
    is_resend_refused_ = std::exchange(sent_, std::chrono::steady_clock::now()) && !only_reads;
    return !is_resend_refused_;
}

bool CurlTransfer::is_unanswered_for(Duration time) const {
    return sent_ && !has_head_ && std::chrono::steady_clock::now() - *sent_ >= time;
}

int CurlTransfer::on_send(void* self, char*, char*, int, int) noexcept {
    return static_cast<CurlTransfer*>(self)->may_be_sent_now() ? CURL_PREREQFUNC_OK
                                                               : CURL_PREREQFUNC_ABORT;
}

bool CurlTransfer::take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > header_bytes_limit) return false;
    // Each status line begins a new reply. The headers before it are those of a "100 Continue" or
    // of a proxy.
    if (line.starts_with("HTTP/")) reply_.headers.clear();
    const std::size_t colon = line.find(':');
    if (!line.starts_with("HTTP/") && colon != std::string_view::npos) {
        HttpHeaders& to = has_head_ ? reply_.trailers : reply_.headers;
        to.emplace_back(lower_case(trimmed(line.substr(0, colon))),
                        trimmed(line.substr(colon + 1)));
    }
    if (trimmed(line).empty()) end_head();
    return true;
}

/// Called at each empty line: the end of the head, and the end of the trailers, which is ignored.
void CurlTransfer::end_head() {
    long status = 0;
    curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
    reply_.status = static_cast<int>(status);
    if (reply_.status < 200 || std::exchange(has_head_, true)) return;
    if (listener_ && listener_->on_head) listener_->on_head(reply_);
}

bool CurlTransfer::take_body(std::string_view part) {
    if (listener_) {
        if (listener_->on_part) listener_->on_part(part);
        return true;
    }
    is_too_long_ = is_too_long_ || part.size() > request_.max_reply_bytes - reply_.body.size();
    if (!is_too_long_) reply_.body += part;
    return !is_too_long_;
}

/// The return value for libcurl where there is no room for a part; absent: there is room. libcurl
/// reads from a fast peer without a break, and only this return value stops it.
std::optional<std::size_t> CurlTransfer::refuse_part() {
    if (!listener_ || !options_.has_room || options_.has_room()) return std::nullopt;
    long version = 0;
    curl_easy_getinfo(handle(), CURLINFO_HTTP_VERSION, &version);
    is_too_fast_ = version >= CURL_HTTP_VERSION_2_0;
    is_paused_ = !is_too_fast_;
    return is_paused_ ? std::size_t{CURL_WRITEFUNC_PAUSE} : 0;
}

CURLcode CurlTransfer::resume() {
    is_paused_ = false;
    return curl_easy_pause(handle(), CURLPAUSE_CONT);
}

std::size_t CurlTransfer::on_header(char* bytes, std::size_t size, std::size_t count,
                                    void* self) noexcept {
    try {
        return static_cast<CurlTransfer*>(self)->take_header({bytes, size * count}) ? size * count
                                                                                    : 0;
    } catch (...) {  // out of memory, or the listener threw: ends the transfer
        return 0;
    }
}

std::size_t CurlTransfer::on_body(char* bytes, std::size_t size, std::size_t count,
                                  void* self) noexcept {
    CurlTransfer& transfer = *static_cast<CurlTransfer*>(self);
    if (const auto refused = transfer.refuse_part()) return *refused;
    try {
        return transfer.take_body({bytes, size * count}) ? size * count : 0;
    } catch (...) {
        return 0;
    }
}

}  // namespace capstan::io
