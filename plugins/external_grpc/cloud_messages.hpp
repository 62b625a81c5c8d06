/// The messages of the externalgrpc protocol as Capstan's nouns, and the way back.
#pragma once

#include <string>

#include <external_grpc.pb.h>

#include "cloud_api.hpp"

namespace capstan::external_grpc {

namespace wire = clusterautoscaler::cloudprovider::v1::externalgrpc;

/// A state that is missing or unknown is `running`: the machine counts until the server says that
/// it does not. One that is being made and has an error has failed.
Machine machine_of(const wire::Instance& instance, const NodeGroupId& group);

wire::NodeGroupAutoscalingOptions message_of(const OptionDefaults& defaults);
/// What differs from `defaults`; a duration that is not set does not.
GroupOptions options_of(const wire::NodeGroupAutoscalingOptions& told,
                        const OptionDefaults& defaults);

/// The bytes of a v1.Node, of either generation; empty: there is none.
const std::string& node_bytes_of(const wire::NodeGroupTemplateNodeInfoResponse& told);

wire::ExternalGrpcNode message_of(const NodeReference& node);
wire::Timestamp message_of(Time time);

}  // namespace capstan::external_grpc
