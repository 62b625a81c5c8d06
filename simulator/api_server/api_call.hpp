/// One request about a kind that is served, and the functions that answer it.
#pragma once

#include <string>

#include <capstan/http.hpp>

#include "simulator/api_server/api_request.hpp"
#include "simulator/api_server/label_query.hpp"
#include "simulator/api_server/object_store.hpp"

namespace capstan::simulator::api_server {

struct ApiCall {
    ObjectStore& store;
    const ResourceKind& kind;
    const ApiRequest& request;
};

HttpReply json_reply(int status, const json::object& body);
HttpReply text_reply(int status, std::string body);
HttpReply refusal_reply(const StatusError& refusal);
/// A Status of success about `object`.
json::object success(const ResourceKind& kind, const json::object& object);

/// A stored object in the version of `kind`.
ApiObject in_version(const ResourceKind& kind, const ApiObject& object);
/// An object that came in the version of the call, in the version in which it is stored.
json::object to_storage_version(const ApiCall& call, json::object object);
/// The kind of the call in the version in which its objects are stored.
const ResourceKind& storage_kind(const ApiCall& call);
/// One object in the form that the request accepts.
HttpReply object_reply(const ApiCall& call, const ApiObject& object, int status = 200);

/// Which objects a list, a watch or a delete of a collection is about.
struct ObjectQuery {
    LabelQuery labels{};
    std::vector<FieldCondition> fields{};
    bool has(const json::object& object) const {
        return has_labels(object, labels) && has_fields(object, fields);
    }
    bool is_empty() const { return labels.empty() && fields.empty(); }
};
Answer<ObjectQuery> parse_object_query(const ResourceKind& kind, const ApiRequest& request);

Answer<HttpReply> serve_get(const ApiCall& call);
Answer<HttpReply> serve_list(const ApiCall& call);
Answer<HttpReply> serve_create(const ApiCall& call);
Answer<HttpReply> serve_update(const ApiCall& call);
Answer<HttpReply> serve_patch(const ApiCall& call);
Answer<HttpReply> serve_delete(const ApiCall& call);
Answer<HttpReply> serve_collection_delete(const ApiCall& call);

/// Subresources: scale, eviction, binding, log, token.
Answer<HttpReply> serve_scale(const ApiCall& call);
Answer<HttpReply> serve_eviction(const ApiCall& call);
Answer<HttpReply> serve_binding(const ApiCall& call);
Answer<HttpReply> serve_log(const ApiCall& call);
/// A token of a service account. The server checks no tokens.
Answer<HttpReply> serve_token(const ApiCall& call);

/// Removes a pod if its disruption budget allows that, and counts the pod against the budget. 429:
/// the budget does not allow it. The refusal has a Retry-After if the disruption controller has not
/// processed the budget yet.
Answer<Removed> evict(ObjectStore& store, std::string_view space, std::string_view name,
                      const RemoveOptions& options);

/// Answers access reviews and self subject reviews: the caller may do everything. Absent: the
/// request is not a review.
std::optional<HttpReply> serve_review(const ApiRequest& request);

/// `document` after the JSON, merge or strategic merge patch of the request. 415: the patch is of
/// another type, or of one that this kind does not take.
Answer<json::object> patched(const ApiCall& call, const json::object& document);
WriteOptions write_options(const ApiRequest& request);

}  // namespace capstan::simulator::api_server
