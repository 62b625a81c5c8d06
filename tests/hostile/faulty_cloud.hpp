/// The API of a faulty cloud: a loopback server that hangs, lags, throttles, fails and drops
/// connections, chosen by a seed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace capstan::hostile {

/// The number of each fault in a hundred requests. Other requests are answered immediately.
struct CloudFaults {
    int hangs = 0;      ///< no response
    int lags = 0;       ///< a response after up to two seconds
    int throttles = 0;  ///< 429 with Retry-After of one to five seconds
    int drops = 0;      ///< the connection is closed before or within the response
    int fails = 0;      ///< 500, or an invalid response
};

/// GET /target returns the number of requested machines, POST /target adds its body to it. Requests
/// that hang, lag or are dropped may have been carried out.
class FaultyCloud {
public:
    /// Throws if no port is available.
    FaultyCloud(CloudFaults faults, std::uint64_t seed);
    FaultyCloud(const FaultyCloud&) = delete;
    FaultyCloud& operator=(const FaultyCloud&) = delete;
    ~FaultyCloud();

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    /// The number of requests by reaction, including "fine".
    std::map<std::string, int> counts() const;

private:
    enum class Reaction { fine, hangs, lags, throttles, drops, fails };
    Reaction draw();
    int between(int low, int high);
    void accept_all();
    void serve(int connection);
    int change_target(const std::string& request);
    /// Returns false if this server is being destroyed.
    bool wait(int milliseconds) const;

    const CloudFaults faults_;
    mutable std::mutex mutex_;
    std::mt19937_64 random_;
    std::map<std::string, int> counts_;
    int target_ = 0;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> is_stopping_{false};
    std::thread acceptor_;
    std::vector<std::thread> connections_;  ///< used only by the acceptor until it is joined
};

}  // namespace capstan::hostile
