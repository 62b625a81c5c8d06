/// One request about a kind that is served, and what is answered.
#pragma once

#include <string>

#include <capstan/http.hpp>

#include "simulation/api_server/api_request.hpp"
#include "simulation/api_server/label_query.hpp"
#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::api_server {

struct ApiCall {
    ObjectStore& store;
    const ResourceKind& kind;
    const ApiRequest& request;
};

HttpReply json_reply(int status, const json::object& body);
HttpReply text_reply(int status, std::string body);
HttpReply refusal_reply(const StatusError& refusal);
/// A Status of success.
json::object success(const ResourceKind& kind, const json::object& object);

/// An object in the version that is asked for.
ApiObject in_version(const ResourceKind& kind, const ApiObject& object);
/// What came in the version that is asked for, as it is kept, and the kind that it is then of.
json::object as_kept(const ApiCall& call, json::object object);
const ResourceKind& kept_kind(const ApiCall& call);
/// One object in the form that is asked for.
HttpReply object_reply(const ApiCall& call, const ApiObject& object, int status = 200);

/// Which objects a list, a watch or a collection is about.
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

/// scale, eviction, binding, log, token.
Answer<HttpReply> serve_scale(const ApiCall& call);
Answer<HttpReply> serve_eviction(const ApiCall& call);
Answer<HttpReply> serve_binding(const ApiCall& call);
Answer<HttpReply> serve_log(const ApiCall& call);
/// Of a service account; it is not checked here.
Answer<HttpReply> serve_token(const ApiCall& call);

/// Removes a pod where its disruption budget allows that, and counts it against the budget. 429:
/// it does not; with advice when to ask again where the budget has not been looked at yet.
Answer<Removed> evict(ObjectStore& store, std::string_view space, std::string_view name,
                      const RemoveOptions& options);

/// Reviews of what the sender may do, and of its identity: it may do everything. Nothing: the
/// request is about neither.
std::optional<HttpReply> serve_review(const ApiRequest& request);

/// What a patch of any of the four types makes of a document. 415: none of them, or one that is
/// not for this kind.
Answer<json::object> patched(const ApiCall& call, const json::object& document);
WriteOptions write_options(const ApiRequest& request);

}  // namespace capstan::simulation::api_server
