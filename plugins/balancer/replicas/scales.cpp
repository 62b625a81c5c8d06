#include "scales.hpp"

#include <algorithm>
#include <utility>

namespace capstan::replicas {
namespace {

constexpr int conflicts_max = 3;
/// A target that does not answer delays the others for that long.
constexpr Duration request_timeout = std::chrono::seconds(5);

std::string named(const ScaleRef& ref) { return ref.kind + " " + ref.name; }

Scale parse_scale(const ScaleRef& ref, const std::string& body, const KubeResource& resource) {
    Result<Json> object = parse_json(body);
    if (!object) throw Failure(within("scale of " + named(ref), object.error()));
    const Json* replicas = object->find({"spec", "replicas"});
    Scale out{.replicas = replicas != nullptr ? replicas->integer().value_or(0) : 0,
              .selector = object->text_at({"status", "selector"})};
    out.object = *std::move(object);
    out.resource = resource;
    return out;
}

[[noreturn]] void rethrow(const ScaleRef& ref, const char* what, Error error) {
    throw Failure(within(std::string(what) + " " + named(ref), std::move(error)));
}

}  // namespace

Task<Scale> Scales::read(std::string ns, ScaleRef ref) {
    std::optional<Error> failed;
    try {
        const KubeResource resource = co_await resolve(host_, ref.api_version, ref.kind);
        KubeRequest request = KubeRequest::get(resource, ns, ref.name)
                                  .with_subresource("scale")
                                  .within(request_timeout);
        const KubeReply reply = co_await send(host_, std::move(request));
        co_return parse_scale(ref, reply.body, resource);
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    rethrow(ref, "read the scale of", *std::move(failed));
}

Task<Scale> Scales::write(std::string ns, ScaleRef ref, Scale scale, std::int64_t replicas) {
    for (int conflicts = 0;; ++conflicts) {
        std::optional<Error> failed;
        try {
            const KubeResource resource = scale.resource;
            scale.object.at("spec").set("replicas", replicas);
            std::string body = to_string(scale.object);
            KubeRequest request = KubeRequest::update(resource, ns, ref.name, std::move(body))
                                      .with_subresource("scale")
                                      .within(request_timeout);
            const KubeReply reply = co_await send(host_, std::move(request));
            co_return parse_scale(ref, reply.body, resource);
        } catch (const Failure& failure) {
            failed = failure.error();
        }
        if (failed->code != ErrorCode::conflict || conflicts == conflicts_max)
            rethrow(ref, "scale", *std::move(failed));
        scale = co_await read(ns, ref);
    }
}

}  // namespace capstan::replicas
