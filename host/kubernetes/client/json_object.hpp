/// Objects that an API server answers, as the JSON they came as; kubernetes/base/json_path.hpp
/// reads and changes it without losing what this program knows nothing of.
#pragma once

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/api.hpp"

namespace capstan::kubernetes::client {

/// A reply's body. `unavailable`: it is no JSON object, so the server that answered is not, or not
/// yet, an API server.
Result<boost::json::object> parse_object(const ApiReply& reply);
/// The same of whatever a request came back with.
Result<boost::json::object> parse_object(Result<ApiReply> reply);

}  // namespace capstan::kubernetes::client
