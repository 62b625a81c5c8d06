#include "simulator/api_server/local_api.hpp"

#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>

#include <capstan/ascii.hpp>

#include "kubernetes/base/json_path.hpp"
#include "simulator/api_server/api_object.hpp"

namespace capstan::simulator::api_server {
namespace {

constexpr const char* definitions_resource = "customresourcedefinitions.apiextensions.k8s.io";

std::string group_of(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    return std::string(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
}

std::string version_of(std::string_view api_version) {
    return std::string(api_version.substr(api_version.find('/') + 1));
}

/// The parts of a definition that the server needs in order to serve a kind with a Scale.
json::object definition_of(const std::string& group, const std::string& version,
                           const std::string& plural, const std::string& kind) {
    const json::object scale{{"specReplicasPath", ".spec.replicas"},
                             {"statusReplicasPath", ".status.replicas"},
                             {"labelSelectorPath", ".status.selector"}};
    const json::object served{
        {"name", version},
        {"served", true},
        {"storage", true},
        {"subresources", json::object{{"status", json::object()}, {"scale", scale}}},
        {"schema", json::object{{"openAPIV3Schema",
                                 json::object{{"type", "object"},
                                              {"x-kubernetes-preserve-unknown-fields", true}}}}}};
    return {{"metadata", json::object{{"name", plural + "." + group}}},
            {"spec", json::object{{"group", group},
                                  {"scope", "Namespaced"},
                                  {"names", json::object{{"plural", plural}, {"kind", kind}}},
                                  {"versions", json::array{served}}}}};
}

}  // namespace

LocalApi::LocalApi(io::ManualLoop& loop)
    : loop_(loop),
      store_(loop, {}),
      server_(store_),
      network_(server_, loop),
      anyone_(loop),
      client_(network_, loop, anyone_,
              {.server = "http://cluster.local", .requests_per_second = 0}) {}

void LocalApi::Anyone::get(Done done) {
    boost::asio::post(loop_.io(),
                      [done = std::move(done)] { done(kubernetes::client::Credential()); });
}

Result<void> LocalApi::create(std::string_view resource, const std::string& ns,
                              json::object object) {
    const auto made = store_.create(store_.kind(resource), ns, std::move(object),
                                    {.part = ObjectPart::everything});
    if (made || made.error().reason == "AlreadyExists") return {};
    return fail(ErrorCode::invalid_argument, std::string(resource) + ": " + made.error().message);
}

void LocalApi::add_namespace(const std::string& name) {
    // A name that no namespace can have is refused when an object is created in it.
    std::ignore = create("namespaces", "", {{"metadata", json::object{{"name", name}}}});
}

Result<void> LocalApi::define(const std::string& group, const std::string& version,
                              const std::string& plural, const std::string& kind) {
    CAPSTAN_CHECK(create(definitions_resource, "", definition_of(group, version, plural, kind)));
    loop_.settle();  // the server serves the kind from now on
    return {};
}

std::string LocalApi::resource_of(std::string_view api_version, std::string_view kind) const {
    for (const KindPtr& known : store_.kinds().all()) {
        if (known->kind == kind && known->group == group_of(api_version) &&
            known->version == version_of(api_version))
            return known->resource();
    }
    return {};
}

Result<void> LocalApi::add(const std::vector<std::string>& objects) {
    for (const std::string& text : objects) {
        CAPSTAN_TRY(json::object object, kubernetes::base::parse_json_object(text));
        CAPSTAN_CHECK(add(std::move(object)));
    }
    return {};
}

Result<void> LocalApi::add(json::object object) {
    const std::string api_version(text_at(object, "apiVersion")), kind(text_at(object, "kind"));
    const std::string group = group_of(api_version);
    if (resource_of(api_version, kind).empty() && !group.empty() && !kind.empty()) {
        const std::string plural = kind + "s";
        CAPSTAN_CHECK(define(group, version_of(api_version), lower_case(plural), kind));
    }
    const std::string resource = resource_of(api_version, kind);
    if (resource.empty()) return fail(ErrorCode::invalid_argument, "unknown kind " + kind);
    const std::string ns(text_at(object, "metadata.namespace"));
    if (!ns.empty()) add_namespace(ns);
    json::object& metadata = make_object(object, "metadata");
    for (const char* key : {"resourceVersion", "uid", "managedFields", "ownerReferences"})
        metadata.erase(key);
    return create(resource, ns, std::move(object));
}

}  // namespace capstan::simulator::api_server
