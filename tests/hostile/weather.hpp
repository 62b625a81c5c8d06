/// The API of a cloud that has a bad day: a server on loopback that hangs, lags, throttles, fails
/// and drops connections, by a seed.
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

/// How often each happens, of a hundred requests. The rest is answered at once.
struct Weather {
    int hangs = 0;      ///< no answer comes, as long as the client waits
    int lags = 0;       ///< an answer comes after up to two seconds
    int throttles = 0;  ///< 429, to come again in one to five seconds
    int drops = 0;      ///< the connection ends, without an answer or within it
    int fails = 0;      ///< 500, or what is no answer
};

/// GET /target answers the number of machines that were asked for, POST /target adds its body to
/// it. What hangs, lags or is dropped may have been carried out.
class BadCloud {
public:
    /// Throws where there is no port to be had.
    BadCloud(Weather weather, std::uint64_t seed);
    BadCloud(const BadCloud&) = delete;
    BadCloud& operator=(const BadCloud&) = delete;
    ~BadCloud();

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    /// How often each happened, by name; "fine" among them.
    std::map<std::string, int> happened() const;

private:
    enum class What { fine, hangs, lags, throttles, drops, fails };
    What draw();
    int between(int low, int high);
    void accept_all();
    void serve(int connection);
    int change_target(const std::string& request);
    /// False: this server is going.
    bool wait(int milliseconds) const;

    const Weather weather_;
    mutable std::mutex mutex_;
    std::mt19937_64 chance_;
    std::map<std::string, int> happened_;
    int target_ = 0;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> is_going_{false};
    std::thread acceptor_;
    std::vector<std::thread> connections_;  ///< used by the acceptor alone until it is joined
};

}  // namespace capstan::hostile
