#include "kubernetes/client/json_object.hpp"

#include <boost/json/parse.hpp>

namespace capstan::kubernetes::client {
namespace {

// Boost's own limit of 32 is less than what schemas of custom resources nest.
constexpr std::size_t depth_limit = 512;

boost::json::value parsed(std::string_view text, boost::system::error_code& error) {
    boost::json::parse_options options;
    options.max_depth = depth_limit;
    return boost::json::parse(text, error, {}, options);
}

}  // namespace

std::optional<boost::json::object> find_json_object(std::string_view text) {
    boost::system::error_code error;
    boost::json::value value = parsed(text, error);
    if (error || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

Result<boost::json::object> parse_object(const ApiReply& reply) {
    boost::system::error_code error;
    boost::json::value value = parsed(reply.body, error);
    if (error) return fail(ErrorCode::unavailable, "the reply is no JSON: " + error.message());
    if (!value.is_object()) return fail(ErrorCode::unavailable, "the reply is no JSON object");
    return std::move(value.get_object());
}

Result<boost::json::object> parse_object(Result<ApiReply> reply) {
    CAPSTAN_TRY(const ApiReply good, std::move(reply));
    return parse_object(good);
}

const boost::json::value* find_value(const boost::json::object& object,
                                     std::initializer_list<std::string_view> path) {
    const boost::json::object* in = &object;
    const boost::json::value* found = nullptr;
    for (const std::string_view key : path) {
        found = in == nullptr ? nullptr : in->if_contains(key);
        if (found == nullptr || found->is_null()) return nullptr;
        in = found->if_object();
    }
    return found;
}

const boost::json::object* find_object(const boost::json::object& object,
                                       std::initializer_list<std::string_view> path) {
    const auto* value = find_value(object, path);
    return value == nullptr ? nullptr : value->if_object();
}

const boost::json::array* find_array(const boost::json::object& object,
                                     std::initializer_list<std::string_view> path) {
    const auto* value = find_value(object, path);
    return value == nullptr ? nullptr : value->if_array();
}

std::string text_at(const boost::json::object& object,
                    std::initializer_list<std::string_view> path) {
    const auto* value = find_value(object, path);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

std::int64_t integer_at(const boost::json::object& object,
                        std::initializer_list<std::string_view> path) {
    const auto* value = find_value(object, path);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool is_true_at(const boost::json::object& object, std::initializer_list<std::string_view> path) {
    const auto* value = find_value(object, path);
    return value != nullptr && value->is_bool() && value->get_bool();
}

boost::json::object& make_object(boost::json::object& object, std::string_view key) {
    boost::json::value& member = object[key];
    if (!member.is_object()) member.emplace_object();
    return member.get_object();
}

}  // namespace capstan::kubernetes::client
