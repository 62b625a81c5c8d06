#include "kubernetes/client/writes/scale.hpp"

#include <memory>
#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {
namespace {

std::string describe_scale(const ScaleTarget& target) {
    return "scale of " + target.kind.kind + " " + target.ns + "/" + target.name;
}

Scale scale_of(const boost::json::object& written) {
    return {.wanted = base::integer_at(written, "spec.replicas").value_or(0),
            .current = base::integer_at(written, "status.replicas").value_or(0),
            .selector = std::string(base::text_at(written, "status.selector")),
            .resource_version = std::string(base::text_at(written, "metadata.resourceVersion"))};
}

ApiRequest scale_request(const ServedKind& kind, const ScaleTarget& target, std::string method,
                         std::string body) {
    const ApiResource resource{kind.group, kind.version, kind.plural, kind.kind,
                               kind.has_namespace};
    return {.method = std::move(method),
            .path = path_of(resource, target.ns, target.name, "scale"),
            .body = std::move(body),
            .content_type = "application/merge-patch+json",
            .purpose = "scale"};
}

}  // namespace

void Scales::read(const ScaleTarget& target, Done done) {
    send(target, "GET", {}, std::move(done));
}

void Scales::write(const ScaleTarget& target, std::int64_t wanted,
                   const std::string& resource_version, Done done) {
    boost::json::object patch{{"spec", {{"replicas", wanted}}}};
    if (!resource_version.empty())
        patch["metadata"] = boost::json::object{{"resourceVersion", resource_version}};
    send(target, "PATCH", boost::json::serialize(patch), std::move(done));
}

void Scales::send(const ScaleTarget& target, std::string method, std::string body, Done done) {
    const auto answer = [target, done = std::move(done)](Result<ApiReply> reply) {
        const Result<boost::json::object> scale = parse_object(std::move(reply));
        done(scale ? Result<Scale>(scale_of(*scale))
                   : fail(within(describe_scale(target), scale.error())));
    };
    // Discovery may outlive this.
    discovery_.resolve(
        target.kind, [target, method = std::move(method), body = std::move(body), answer,
                      weak = std::weak_ptr(calls_)](const Result<ServedKind>& kind) {
            const auto calls = weak.lock();
            if (calls == nullptr) return;
            if (!kind) return answer(fail(kind.error()));
            if (!kind->has_scale)
                return answer(fail(ErrorCode::unsupported, kind->plural + " cannot be scaled"));
            calls->send(scale_request(*kind, target, method, body), answer);
        });
}

}  // namespace capstan::kubernetes::client
