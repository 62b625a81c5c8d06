/// Watches: replies that get one line for each change, for as long as the client listens.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "io/http_server.hpp"
#include "simulator/api_server/api_call.hpp"
#include "simulator/api_server/api_faults.hpp"

namespace capstan::simulator::api_server {

/// Must be destroyed before the store. [the loop's thread]
class WatchStreams {
public:
    struct Options {
        Duration bookmark_interval = std::chrono::minutes(1);
        Duration longest = std::chrono::minutes(30);  ///< of a watch without timeoutSeconds
    };
    WatchStreams(ObjectStore& store, Options options) : store_(store), options_(options) {}
    WatchStreams(const WatchStreams&) = delete;
    WatchStreams& operator=(const WatchStreams&) = delete;
    ~WatchStreams();

    /// Answers through the responder, unless the Answer is a refusal. `fault`: a fault that takes
    /// effect while the watch is open.
    Answer<void> open(const KindPtr& kind, const ApiRequest& request, io::Responder responder,
                      const std::optional<ApiFault>& fault);
    /// Drops every connection, as a server that is killed does.
    void cut_all();
    std::size_t count() const noexcept { return streams_.size(); }

private:
    class Stream;
    void close(std::uint64_t id);

    ObjectStore& store_;
    Options options_;
    std::uint64_t last_id_ = 0;
    std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
};

}  // namespace capstan::simulator::api_server
