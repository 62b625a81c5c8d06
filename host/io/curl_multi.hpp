/// A libcurl multi handle, that is transfers and their shared connections, driven by Asio.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

namespace capstan::io {

/// Used on its strand alone. Its handlers keep it alive.
class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
public:
    using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
    /// A transfer has ended. The callback may remove it.
    using Ended = std::function<void(CURL* transfer, CURLcode code)>;

    CurlMulti(boost::asio::io_context& io, const Strand& strand, Ended ended);
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;
    ~CurlMulti();

    void bound_connections(long total, long per_host);
    CURLMcode add(CURL* transfer);
    void remove(CURL* transfer);
    /// Reads and writes no socket until `resume`, so that TCP's flow control stops the peers.
    /// False: it was suspended already.
    bool suspend() noexcept { return !std::exchange(is_suspended_, true); }
    void resume();
    /// Closes the kept connections. All transfers must have been removed. No callback runs
    /// afterwards.
    void close();

private:
    struct Watched;
    struct Cleanup {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };
    void act(curl_socket_t socket, int events);
    auto ready(curl_socket_t socket, const std::shared_ptr<Watched>& watched, bool Watched::* waits,
               int events);
    void wait(curl_socket_t socket, const std::shared_ptr<Watched>& watched);
    void watch(curl_socket_t socket, int events);
    void set_timer(long milliseconds);
    void take_timer();
    static int on_socket(CURL*, curl_socket_t socket, int events, void* self, void*) noexcept;
    static int on_timer(CURLM*, long milliseconds, void* self) noexcept;

    const boost::asio::io_context::executor_type executor_;
    const Strand strand_;
    boost::asio::steady_timer timer_;
    const Ended ended_;
    bool is_suspended_ = false;
    bool is_timer_due_ = false;  ///< the timer fired while suspended
    std::map<curl_socket_t, std::shared_ptr<Watched>> watched_;
    std::unique_ptr<CURLM, Cleanup> multi_;  ///< NULL: closed
};

}  // namespace capstan::io
