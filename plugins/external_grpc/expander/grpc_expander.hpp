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

    /// For a doctor: whether the server answers. Of gRPC's health service, since a question that
    /// is made up could be taken for a decision; a server without it answers, too.
    Task<void> self_check();
    /// One call, BestOptions. A Failure: the server cannot be reached or answers with an error, or
    /// all groups that it keeps are unknown.
    Task<KeptOptions> filter(AsyncExpanderRequest request);

private:
    const Host host_;
    const ExpanderConfig config_;
    const GrpcChannel channel_;
};

}  // namespace capstan::external_grpc
