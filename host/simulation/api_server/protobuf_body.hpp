/// What the messages of the API look like in protobuf, for those that kubectl sends that way.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

enum class ProtobufType {
    text,
    number,  ///< zero where nothing was said
    count,   ///< zero is something that was said
    flag,
    bytes,  ///< base64 in JSON
    quantity,
    number_or_text,
    message,
    ignored,  ///< what a client has no say in
};

struct ProtobufField {
    std::string name{};  ///< of the JSON member
    ProtobufType type = ProtobufType::text;
    std::string message{};  ///< of `message`: which
    bool is_list = false, is_map = false;
    bool is_inline = false;  ///< of `message`: its members stand among those of its parent
};

using ProtobufMessage = std::map<unsigned, ProtobufField>;

/// By kind: "Deployment", or by version and kind where versions differ:
/// "autoscaling/v1.HorizontalPodAutoscaler"; parts by their own names. NULL: not known.
const ProtobufMessage* find_protobuf_message(std::string_view name);

// Objects that come as protobuf: kubectl from 1.32 on sends its own kinds that way, and does not
// ask again in JSON where that is refused.

/// The object as JSON would have had it. 415: its kind, or a part of it, is none of those that are
/// known, so that nothing is lost without a word; 400: it is none at all.
Answer<json::object> parse_protobuf_body(std::string_view body);

}  // namespace capstan::simulation::api_server
