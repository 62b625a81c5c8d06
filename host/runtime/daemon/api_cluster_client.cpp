#include "runtime/daemon/api_cluster_client.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::runtime {

ApiClusterClient::ApiClusterClient(kubernetes::Api& api, io::Loop& loop, Options options)
    : loop_(loop),
      gate_(std::move(options.gate)),
      writes_(api, loop,
              {.seed = options.seed, .on_update_instead = std::move(options.on_update_instead)}),
      evictions_(api, loop) {}

template <class Write>
void ApiClusterClient::when_open(Write write, Done done) {
    boost::asio::post(loop_.io(), [this, write = std::move(write), done = std::move(done)] {
        if (const Result<void> may = gate_ ? gate_() : Result<void>(); !may)
            return done(fail(may.error()));
        write(done);
    });
}

void ApiClusterClient::change(const engine::NodeChange& change, Done done) {
    when_open([this, change](const Done& then) { writes_.change(change, then); }, std::move(done));
}

void ApiClusterClient::evict(const engine::Eviction& eviction, Done done) {
    when_open([this, eviction](const Done& then) { evictions_.evict(eviction, then); },
              std::move(done));
}

}  // namespace capstan::runtime
