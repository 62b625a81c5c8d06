#include "autoscaler/daemon/api_cluster_client.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "kubernetes/client/api_status.hpp"

namespace capstan::autoscaler::daemon {

kubernetes::client::Api::RequestId GatedApi::send(kubernetes::client::ApiRequest request,
                                                  Done done) {
    if (!kubernetes::client::is_question(request)) request.may_send = gate_;
    return api_.send(std::move(request), std::move(done));
}

kubernetes::client::Api::RequestId GatedApi::stream(kubernetes::client::ApiRequest request,
                                                    Part on_part, Done done) {
    if (!kubernetes::client::is_question(request)) request.may_send = gate_;
    return api_.stream(std::move(request), std::move(on_part), std::move(done));
}

ApiClusterClient::ApiClusterClient(kubernetes::client::Api& api, io::Loop& loop, Options options)
    : loop_(loop),
      gate_(std::move(options.gate)),
      gated_(api, gate_),
      node_pods_(gated_, loop, std::move(options.on_unknown_pods)),
      writes_(gated_, loop,
              {.seed = options.seed, .on_update_instead = std::move(options.on_update_instead)}),
      evictions_(gated_, loop) {}

template <class Write>
void ApiClusterClient::when_open(Write write, Done done) {
    boost::asio::post(loop_.io(), [this, write = std::move(write), done = std::move(done)] {
        if (const Result<void> may = gate_ ? gate_() : Result<void>(); !may)
            return done(fail(may.error()));
        write(done);
    });
}

void ApiClusterClient::recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                               RecheckDone done) {
    boost::asio::post(loop_.io(),
                      [this, nodes, done = std::move(done)] { node_pods_.look(nodes, done); });
}

void ApiClusterClient::change(const engine::NodeChange& change, Done done) {
    when_open([this, change](const Done& then) { writes_.change(change, then); }, std::move(done));
}

void ApiClusterClient::evict(const engine::Eviction& eviction, Done done) {
    when_open([this, eviction](const Done& then) { evictions_.evict(eviction, then); },
              std::move(done));
}

}  // namespace capstan::autoscaler::daemon
