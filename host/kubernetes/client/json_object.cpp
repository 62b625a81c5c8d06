#include "kubernetes/client/json_object.hpp"

#include <utility>

#include "kubernetes/base/json_path.hpp"

namespace capstan::kubernetes::client {

Result<boost::json::object> parse_object(const ApiReply& reply) {
    Result<boost::json::object> object = base::parse_json_object(reply.body);
    if (!object) return fail(ErrorCode::unavailable, "the reply is " + object.error().message);
    return object;
}

Result<boost::json::object> parse_object(Result<ApiReply> reply) {
    CAPSTAN_TRY(const ApiReply good, std::move(reply));
    return parse_object(good);
}

}  // namespace capstan::kubernetes::client
