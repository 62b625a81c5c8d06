#include <boost/json/serialize.hpp>

#include "simulation/api_server/api_call.hpp"

namespace capstan::simulation::api_server {

HttpReply json_reply(int status, const json::object& body) {
    return {status, {{"content-type", "application/json"}}, json::serialize(body) + "\n"};
}

HttpReply text_reply(int status, std::string body) {
    return {status, {{"content-type", "text/plain; charset=utf-8"}}, std::move(body)};
}

HttpReply refusal_reply(const StatusError& refusal) {
    HttpReply out = json_reply(refusal.code, status_object(refusal));
    if (refusal.retry_after_s)
        out.headers.emplace_back("retry-after", std::to_string(*refusal.retry_after_s));
    return out;
}

json::object success(const ResourceKind& kind, const json::object& object) {
    json::object details{{"name", json_view(text_at(object, "metadata.name"))},
                         {"kind", kind.plural},
                         {"uid", json_view(text_at(object, "metadata.uid"))}};
    if (!kind.group.empty()) details["group"] = kind.group;
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", json::object()},
            {"status", "Success"},
            {"details", std::move(details)}};
}

}  // namespace capstan::simulation::api_server
