/// An expander behind a server of cluster-autoscaler's gRPC expander protocol.
#pragma once

#include <capstan/async_expander.hpp>

#include "config.hpp"
#include "expander_messages.hpp"
#include "grpc_channel.hpp"

namespace capstan::external_grpc {

/// An AsyncExpander; see async_expander.hpp. [strand]
class GrpcExpander {
public:
    GrpcExpander(Host host, ExpanderConfig config);

    /// For `capstan doctor`: whether the server answers. It calls gRPC's health service, since the
    /// server could take a made-up request for a real decision. A server without that service
    /// answers UNIMPLEMENTED, which is enough.
    Task<void> self_check();
    /// One call of BestOptions. Throws a Failure if the server cannot be reached, answers with an
    /// error, or names only unknown groups.
    Task<KeptOptions> filter(AsyncExpanderRequest request);

private:
    const Host host_;
    const ExpanderConfig config_;
    const GrpcChannel channel_;
};

}  // namespace capstan::external_grpc
