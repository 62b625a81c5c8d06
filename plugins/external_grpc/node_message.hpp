/// Converts between v1.Node in protobuf's wire format and node templates.
#pragma once

#include <string>
#include <string_view>

#include <capstan/node_template.hpp>
#include <capstan/result.hpp>

namespace capstan::external_grpc {

/// The template for the bytes of a v1.Node; the fingerprint covers all that is read. Amounts that
/// the node does not state are absent. If the node has no allocatable, it equals the capacity.
/// `unavailable`: the bytes are no v1.Node, or an amount is malformed.
Result<NodeTemplate> parse_node(std::string_view bytes);

/// The bytes of a v1.Node with that name and the template's labels, taints and resources.
std::string node_bytes(const std::string& name, const NodeTemplate& node);

}  // namespace capstan::external_grpc
