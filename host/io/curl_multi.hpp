/// libcurl's transfers and the connections they share, driven by Asio.
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
    /// A transfer is over, and still here.
    using Ended = std::function<void(CURL* transfer, CURLcode code)>;

    CurlMulti(boost::asio::io_context& io, const Strand& strand, Ended ended);
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;
    ~CurlMulti();

    void bound_connections(long total, long per_host);
    CURLMcode add(CURL* transfer);
    void remove(CURL* transfer);
    /// Leaves what comes where it is, and the peers to wait, until `release`. False: it does
    /// already.
    bool hold() noexcept { return !std::exchange(is_held_, true); }
    void release();
    /// Closes what is kept. No transfer may be left; nothing is called any more.
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
    bool is_held_ = false;
    bool is_timer_due_ = false;  ///< it fired while held
    std::map<curl_socket_t, std::shared_ptr<Watched>> watched_;
    std::unique_ptr<CURLM, Cleanup> multi_;  ///< NULL: closed
};

}  // namespace capstan::io
