/// Request bodies in protobuf: kubectl from 1.32 on sends built-in kinds that way, and does not
/// retry in JSON if the server refuses that.
///
/// A table describes the messages of the API: for each field number the name of the JSON member and
/// its type. The decoder walks over the bytes by that table, so a further kind is one more line of
/// the table.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

enum class ProtobufType {
    text,
    number,  ///< an integer; zero means that the member is absent
    count,   ///< an integer; zero is a value
    flag,
    bytes,  ///< base64 in JSON
    quantity,
    number_or_text,
    message,
    ignored,  ///< a member that the server sets itself
};

struct ProtobufField {
    std::string name{};  ///< of the JSON member
    ProtobufType type = ProtobufType::text;
    std::string message{};  ///< for type `message`: the name of the message
    bool is_list = false, is_map = false;
    bool is_inline = false;  ///< for type `message`: its members become members of the parent
};

/// The fields of a message by number.
using ProtobufMessage = std::map<unsigned, ProtobufField>;

/// The message of a kind, "Deployment", or of a version and a kind if versions differ,
/// "autoscaling/v1.HorizontalPodAutoscaler", or of a part of an object, "PodSpec". NULL: unknown.
const ProtobufMessage* find_protobuf_message(std::string_view name);

/// The object in JSON. 415: the kind, or a field that is set, is not in the table, so that no field
/// is lost silently; 400: the body is not an object in protobuf.
Answer<json::object> parse_protobuf_body(std::string_view body);

}  // namespace capstan::simulator::api_server
