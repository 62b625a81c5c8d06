#include "grpc_expander.hpp"

#include <string>
#include <utility>
#include <vector>

namespace capstan::external_grpc {

GrpcExpander::GrpcExpander(Host host, ExpanderConfig config)
    : host_(host),
      config_(std::move(config)),
      channel_(host, config_.server, "grpcplugin.Expander") {}

Task<void> GrpcExpander::self_check() {
    const GrpcChannel health(host_, config_.server, "grpc.health.v1.Health");
    const Result<std::string> reply = co_await as_result(health.call("Check", {}));
    if (!reply && reply.error().code != ErrorCode::unsupported) throw Failure(reply.error());
}

Task<KeptOptions> GrpcExpander::filter(AsyncExpanderRequest request) {
    std::vector<std::string> sentences;
    auto message = message_of(request, config_.request_size_max, sentences);
    const auto reply =
        co_await channel_.ask<grpcplugin::BestOptionsResponse>("BestOptions", std::move(message));
    Result<KeptOptions> kept = kept_options(reply, request);
    if (!kept) co_return fail(std::move(kept).error());
    kept->sentences.insert(kept->sentences.begin(), sentences.begin(), sentences.end());
    co_return std::move(kept);
}

}  // namespace capstan::external_grpc
