/// Converts messages of the externalgrpc protocol to Capstan's types and back.
#pragma once

#include <string>

#include <external_grpc.pb.h>

#include "cloud_api.hpp"

namespace capstan::external_grpc {

namespace wire = clusterautoscaler::cloudprovider::v1::externalgrpc;

/// A missing or unknown state is `running`, so that the machine counts. A machine that is being
/// created and has an error has failed.
Machine machine_of(const wire::Instance& instance, const NodeGroupId& group);

wire::NodeGroupAutoscalingOptions message_of(const OptionDefaults& defaults);
/// Only the options that differ from `defaults`; a duration that is not set counts as equal.
GroupOptions options_of(const wire::NodeGroupAutoscalingOptions& received,
                        const OptionDefaults& defaults);

/// The bytes of a v1.Node, from the field of either protocol generation; empty if there is none.
const std::string& node_bytes_of(const wire::NodeGroupTemplateNodeInfoResponse& received);

wire::ExternalGrpcNode message_of(const NodeReference& node);
wire::Timestamp message_of(Time time);

}  // namespace capstan::external_grpc
