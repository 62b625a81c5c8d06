/// What the gRPC expander protocol's one call asks and answers, as Capstan's nouns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <grpc_expander.pb.h>
#include <capstan/async_expander.hpp>

namespace capstan::external_grpc {

/// Nodes and pods stand in it twice, for servers of both generations. Each pod of an option is a
/// message; where all are more than `size_max` bytes, those with the most have fewer, some of each
/// equivalence group, and `sentences` says how many are told.
grpcplugin::BestOptionsRequest message_of(const AsyncExpanderRequest& request, std::size_t size_max,
                                          std::vector<std::string>& sentences);

/// The options whose group the server names. A sentence tells of groups in its answer that were not
/// in the request, and of numbers of nodes that differ from the options'. `unavailable`: the answer
/// has groups, and none of them was in the request.
Result<KeptOptions> kept_options(const grpcplugin::BestOptionsResponse& told,
                                 const AsyncExpanderRequest& request);

}  // namespace capstan::external_grpc
