/// Converts requests and replies of the gRPC expander protocol.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <grpc_expander.pb.h>
#include <capstan/async_expander.hpp>

namespace capstan::external_grpc {

/// The request for BestOptions. It has nodes and pods twice, for servers of both protocol
/// generations. Each pod of an option is a message. If all pods need more than `size_max` bytes,
/// the largest options have fewer pods, some of each equivalence group, and `sentences` says how
/// many pods are included.
grpcplugin::BestOptionsRequest message_of(const AsyncExpanderRequest& request, std::size_t size_max,
                                          std::vector<std::string>& sentences);

/// The options of the groups that the reply names. A sentence of the result reports groups that
/// were not in the request, and numbers of nodes that differ from the options'. `unavailable`: the
/// reply has groups, and none of them was in the request.
Result<KeptOptions> kept_options(const grpcplugin::BestOptionsResponse& reply,
                                 const AsyncExpanderRequest& request);

}  // namespace capstan::external_grpc
