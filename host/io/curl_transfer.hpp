/// One request as a libcurl easy handle.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>

#include "io/http_client.hpp"
#include "io/tls_options.hpp"

namespace capstan::io {

/// Must not move while libcurl has its handle. One thread at a time.
class CurlTransfer {
public:
    struct Options {
        std::shared_ptr<const TlsOptions> tls;
        std::string proxy;  ///< a result of parse_proxy; empty: none
        bool gzip = false;
        std::string user_agent;
        bool http1 = false;  ///< HTTP/1.1 alone
        /// Called before each part of a stream. False: the stream pauses until `resume`. A stream
        /// of HTTP/2 ends as `unavailable` instead, because libcurl 7.88 never resumes it.
        std::function<bool()> has_room{};
    };
    /// The body goes to the listener, if there is one. `invalid_argument`: the request is
    /// malformed.
    static Result<std::unique_ptr<CurlTransfer>> make(HttpRequest request,
                                                      std::optional<HttpClient::Listener> listener,
                                                      Options options);
    CurlTransfer(const CurlTransfer&) = delete;
    CurlTransfer& operator=(const CurlTransfer&) = delete;

    CURL* handle() const noexcept { return handle_.get(); }
    bool is_stream() const noexcept { return listener_.has_value(); }
    bool is_paused() const noexcept { return is_paused_; }
    /// The stream ended because HTTP/2 cannot be paused.
    bool is_too_fast() const noexcept { return is_too_fast_; }
    /// Passes on the buffered part, as far as there is room, and continues. An error: the transfer
    /// must be ended.
    CURLcode resume();
    /// The request's timeout. The owner enforces it, because libcurl does not while a request waits
    /// for a connection.
    Duration timeout() const noexcept { return request_.timeout; }
    /// Whether the request was sent at least `time` ago, and no head has come.
    bool is_unanswered_for(Duration time) const;
    /// The result, once libcurl has ended the transfer with `code`.
    Result<HttpReply> take_result(CURLcode code);
    /// "HTTP GET https://api.example.com/v1 through proxy http://proxy.example.com:3128: " and
    /// `why`; without the query and the proxy's login, which may hold secrets.
    std::string message(std::string_view why) const;
    std::string reason_of(CURLcode code) const;

private:
    struct Free {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
        void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    };
    CurlTransfer(HttpRequest request, std::optional<HttpClient::Listener> listener,
                 Options options);
    void set_up();
    void set_target();
    void set_connection();
    void set_tls();
    void set_body();
    void set_headers();
    void add_header(const std::string& line);
    bool take_header(std::string_view line);
    void end_head();
    bool take_body(std::string_view part);
    std::optional<std::size_t> refuse_part();
    long http_version() const noexcept;
    bool is_promised_version() const;
    bool may_be_sent_now();
    bool is_head_too_long(CURLcode code) const;
    static int on_send(void* self, char*, char*, int, int) noexcept;
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count,
                                 void* self) noexcept;
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* self) noexcept;

    HttpRequest request_;
    const std::optional<HttpClient::Listener> listener_;
    const Options options_;  ///< libcurl does not copy the certificates
    HttpReply reply_;
    bool has_head_ = false;
    std::size_t header_bytes_ = 0;
    bool is_too_long_ = false;
    bool is_paused_ = false;
    bool is_too_fast_ = false;
    std::optional<std::chrono::steady_clock::time_point> sent_{};
    bool is_resend_refused_ = false;
    /// the request demands HTTP/2, and the server does not support it
    bool is_other_version_ = false;
    std::array<char, CURL_ERROR_SIZE> error_{};
    std::unique_ptr<curl_slist, Free> header_list_;
    std::unique_ptr<curl_slist, Free> connect_to_;
    std::unique_ptr<CURL, Free> handle_;
};

}  // namespace capstan::io
