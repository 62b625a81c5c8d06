#include "simulation/api_server/protobuf_body.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <capstan/base64.hpp>

#include "simulation/api_server/protobuf_schema.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view magic{"k8s\0", 4};
constexpr int deepest = 32;

Refused no_protobuf_object() {
    return fail(Refusal{400, "BadRequest", "the body is no protobuf of an object", {}, {}, {}});
}
Refused unsupported_media_type(const std::string& what) {
    return fail(Refusal{415,
                        "UnsupportedMediaType",
                        what + " is not read from protobuf here; send JSON: kubectl create "
                               "--dry-run=client -o json ... | kubectl create -f -",
                        {},
                        {},
                        {}});
}

/// One field as it stands: a number, or bytes.
struct Raw {
    unsigned number = 0;
    std::uint64_t varint = 0;
    std::string_view bytes{};
};

/// Takes fields off the front of a message.
class Wire {
public:
    explicit Wire(std::string_view rest) : rest_(rest) {}
    bool is_at_end() const { return rest_.empty(); }

    /// Nothing: it is none.
    std::optional<Raw> next() {
        const auto key = varint();
        if (!key) return std::nullopt;
        Raw out{.number = static_cast<unsigned>(*key >> 3)};
        const auto type = *key & 7;
        if (type == 0) return with_number(out);
        if (type == 2) return with_bytes(out);
        return std::nullopt;
    }

private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t out = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            out |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return out;
        }
        return std::nullopt;
    }
    std::optional<Raw> with_number(Raw out) {
        const auto number = varint();
        if (!number) return std::nullopt;
        out.varint = *number;
        return out;
    }
    std::optional<Raw> with_bytes(Raw out) {
        const auto size = varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        out.bytes = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return out;
    }

    std::string_view rest_;
};

Answer<json::object> decode_message(std::string_view bytes, const std::string& name, int depth);

/// IntOrString: which of the two, the number, the text.
Answer<json::value> read_number_or_text(std::string_view bytes) {
    bool is_text = false;
    json::value number = 0, text = "";
    for (Wire wire(bytes); !wire.is_at_end();) {
        const auto raw = wire.next();
        if (!raw) return no_protobuf_object();
        if (raw->number == 1) is_text = raw->varint == 1;
        if (raw->number == 2) number = static_cast<std::int64_t>(raw->varint);
        if (raw->number == 3) text = json_view(raw->bytes);
    }
    return is_text ? text : number;
}

/// Quantity: its text alone.
Answer<json::value> read_quantity(std::string_view bytes) {
    json::value out = "0";
    for (Wire wire(bytes); !wire.is_at_end();) {
        const auto raw = wire.next();
        if (!raw) return no_protobuf_object();
        if (raw->number == 1) out = json_view(raw->bytes);
    }
    return out;
}

Answer<json::value> read_value(const Raw& raw, const ProtobufField& field, int depth) {
    switch (field.type) {
        case ProtobufType::text: return json::value(json_view(raw.bytes));
        case ProtobufType::number:
        case ProtobufType::count: return json::value(static_cast<std::int64_t>(raw.varint));
        case ProtobufType::flag: return json::value(raw.varint != 0);
        case ProtobufType::bytes: return json::value(json_view(base64_encode(raw.bytes)));
        case ProtobufType::quantity: return read_quantity(raw.bytes);
        case ProtobufType::number_or_text: return read_number_or_text(raw.bytes);
        case ProtobufType::message: {
            CAPSTAN_TRY(json::object out, decode_message(raw.bytes, field.message, depth + 1));
            return json::value(std::move(out));
        }
        case ProtobufType::ignored: break;
    }
    return json::value();
}

/// An entry of a map: a message of key and value.
Answer<void> read_entry(const Raw& raw, const ProtobufField& field, json::object& map, int depth) {
    std::string key;
    json::value value = "";
    for (Wire wire(raw.bytes); !wire.is_at_end();) {
        const auto part = wire.next();
        if (!part) return no_protobuf_object();
        if (part->number == 1) key = part->bytes;
        if (part->number != 2) continue;
        CAPSTAN_TRY(value, read_value(*part, field, depth));
    }
    map[key] = std::move(value);
    return {};
}

/// Members that are nothing but a zero are those that nobody gave: they are always sent.
bool is_said(const json::value& value, ProtobufType type) {
    switch (type) {
        case ProtobufType::text: return !value.get_string().empty();
        case ProtobufType::number: return value.get_int64() != 0;
        case ProtobufType::flag: return value.get_bool();
        case ProtobufType::message: return !value.get_object().empty();
        default: return true;
    }
}

Answer<void> take_field(const Raw& raw, const ProtobufField& field, json::object& to, int depth) {
    if (field.type == ProtobufType::ignored) return {};
    if (field.is_map) return read_entry(raw, field, make_object(to, field.name), depth);
    CAPSTAN_TRY(json::value value, read_value(raw, field, depth));
    if (field.is_inline) {
        for (auto& member : value.get_object()) to[member.key()] = std::move(member.value());
    } else if (field.is_list) {
        json::value& list = to[field.name];
        if (!list.is_array()) list.emplace_array();
        list.get_array().push_back(std::move(value));
    } else if (is_said(value, field.type)) {
        to[field.name] = std::move(value);
    }
    return {};
}

Answer<json::object> decode_message(std::string_view bytes, const std::string& name, int depth) {
    const ProtobufMessage* const message = find_protobuf_message(name);
    if (message == nullptr) return unsupported_media_type(name);
    if (depth > deepest) return no_protobuf_object();
    json::object out;
    for (Wire wire(bytes); !wire.is_at_end();) {
        const auto raw = wire.next();
        if (!raw) return no_protobuf_object();
        const auto field = message->find(raw->number);
        const bool says_nothing = raw->bytes.empty() && raw->varint == 0;
        if (field != message->end()) {
            CAPSTAN_CHECK(take_field(*raw, field->second, out, depth));
        } else if (!says_nothing) {
            return unsupported_media_type("field " + std::to_string(raw->number) + " of " + name);
        }
    }
    return out;
}

/// runtime.Unknown: what it is, and the object itself.
struct Envelope {
    std::string api_version{}, kind{};
    std::optional<std::string_view> object{};
};

std::optional<Envelope> open_envelope(std::string_view body) {
    if (!body.starts_with(magic)) return std::nullopt;
    Envelope out;
    for (Wire wire(body.substr(magic.size())); !wire.is_at_end();) {
        const auto raw = wire.next();
        if (!raw) return std::nullopt;
        if (raw->number == 2) out.object = raw->bytes;
        if (raw->number != 1) continue;
        for (Wire type(raw->bytes); !type.is_at_end();) {
            const auto part = type.next();
            if (!part) return std::nullopt;
            (part->number == 1 ? out.api_version : out.kind) = part->bytes;
        }
    }
    return out;
}

}  // namespace

Answer<json::object> parse_protobuf_body(std::string_view body) {
    const std::optional<Envelope> envelope = open_envelope(body);
    if (!envelope || !envelope->object) return no_protobuf_object();
    const std::string whole = envelope->api_version + "." + envelope->kind;
    const bool is_of_version = find_protobuf_message(whole) != nullptr;
    CAPSTAN_TRY(json::object out,
                decode_message(*envelope->object, is_of_version ? whole : envelope->kind, 0));
    out["apiVersion"] = envelope->api_version;
    out["kind"] = envelope->kind;
    return out;
}

}  // namespace capstan::simulation
