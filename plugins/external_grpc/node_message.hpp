/// v1.Node on the wire, as far as it says what a node offers.
#pragma once

#include <string>
#include <string_view>

#include <capstan/node_template.hpp>
#include <capstan/result.hpp>

namespace capstan::external_grpc {

/// What the bytes of a v1.Node offer; the fingerprint is of all that is read. An amount that the
/// node does not state is absent; where it states no allocatable at all, all of its capacity is.
/// `unavailable`: the bytes are no v1.Node, or an amount cannot be read.
Result<NodeTemplate> parse_node(std::string_view bytes);

/// The bytes of a v1.Node of that name that offers what the template does.
std::string node_bytes(const std::string& name, const NodeTemplate& node);

}  // namespace capstan::external_grpc
