/// Requests to the cluster as values; kube.hpp sends them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <capstan/abi/service_kube.h>
#include <capstan/time.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A resource as in API paths. Like KubeRequest, it is not an aggregate, for the same reason as
/// HttpRequest.
struct KubeResource {
    std::string group{};  ///< "apps"; empty: the core group
    std::string version{};
    std::string plural{};
    std::string kind{};
    bool has_namespace = true;

    KubeResource() = default;
    KubeResource(std::string of_group, std::string of_version, std::string plural_name,
                 std::string kind_name, bool in_namespaces = true)
        : group(std::move(of_group)),
          version(std::move(of_version)),
          plural(std::move(plural_name)),
          kind(std::move(kind_name)),
          has_namespace(in_namespaces) {}
    bool operator==(const KubeResource&) const = default;
};

/// Borrows from `resource`.
inline capstan_kube_resource to_abi(const KubeResource& resource) noexcept {
    return {sizeof(capstan_kube_resource), resource.has_namespace ? 1 : 0, str(resource.group),
            str(resource.version),         str(resource.plural),           str(resource.kind)};
}

enum class KubeVerb : std::int32_t {
    get = CAPSTAN_KUBE_GET,
    list = CAPSTAN_KUBE_LIST,
    create = CAPSTAN_KUBE_CREATE,
    update = CAPSTAN_KUBE_UPDATE,
    patch = CAPSTAN_KUBE_PATCH,
    remove = CAPSTAN_KUBE_DELETE,
};
enum class KubePatch : std::int32_t {
    json = CAPSTAN_KUBE_PATCH_JSON,
    merge = CAPSTAN_KUBE_PATCH_MERGE,
    strategic = CAPSTAN_KUBE_PATCH_STRATEGIC,
    apply = CAPSTAN_KUBE_PATCH_APPLY,
};
enum class KubePropagation : std::int32_t {
    by_kind = CAPSTAN_KUBE_PROPAGATION_DEFAULT,
    background = CAPSTAN_KUBE_PROPAGATION_BACKGROUND,
    foreground = CAPSTAN_KUBE_PROPAGATION_FOREGROUND,
    orphan = CAPSTAN_KUBE_PROPAGATION_ORPHAN,
};

/// Members have the meaning of those of capstan_kube_request.
struct KubeRequest {
    KubeVerb verb = KubeVerb::get;
    KubeResource resource{};
    std::string ns{}, name{}, subresource{};
    std::string body{};
    KubePatch patch_type = KubePatch::merge;
    bool dry_run = false;
    std::string field_manager{};
    std::string label_selector{}, field_selector{};
    std::int64_t limit = 0;  ///< 0: no limit
    std::string continue_token{};
    std::string resource_version{}, uid{};
    std::optional<std::int64_t> grace_seconds{};
    KubePropagation propagation = KubePropagation::by_kind;
    Duration timeout = std::chrono::seconds(30);  ///< capped by the remaining time of the operation
    std::uint64_t max_reply_bytes = 16u << 20;

    KubeRequest(KubeVerb what, KubeResource of, std::string in_ns, std::string named = {},
                std::string with_body = {})
        : verb(what),
          resource(std::move(of)),
          ns(std::move(in_ns)),
          name(std::move(named)),
          body(std::move(with_body)) {}

    static KubeRequest get(KubeResource of, std::string ns, std::string name) {
        return {KubeVerb::get, std::move(of), std::move(ns), std::move(name)};
    }
    /// Without a namespace: of all namespaces.
    static KubeRequest list(KubeResource of, std::string ns = {}) {
        return {KubeVerb::list, std::move(of), std::move(ns)};
    }
    static KubeRequest create(KubeResource of, std::string ns, std::string object) {
        return {KubeVerb::create, std::move(of), std::move(ns), {}, std::move(object)};
    }
    static KubeRequest update(KubeResource of, std::string ns, std::string name,
                              std::string object) {
        return {KubeVerb::update, std::move(of), std::move(ns), std::move(name), std::move(object)};
    }
    static KubeRequest patch(KubeResource of, std::string ns, std::string name, KubePatch type,
                             std::string change) {
        KubeRequest out(KubeVerb::patch, std::move(of), std::move(ns), std::move(name),
                        std::move(change));
        out.patch_type = type;
        return out;
    }
    static KubeRequest remove(KubeResource of, std::string ns, std::string name) {
        return {KubeVerb::remove, std::move(of), std::move(ns), std::move(name)};
    }

    KubeRequest&& with_subresource(std::string of_subresource) && {
        subresource = std::move(of_subresource);
        return std::move(*this);
    }
    KubeRequest&& labelled(std::string selector) && {
        label_selector = std::move(selector);
        return std::move(*this);
    }
    KubeRequest&& page(std::int64_t most, std::string token) && {
        limit = most;
        continue_token = std::move(token);
        return std::move(*this);
    }
    /// Only if the object still has this UID.
    KubeRequest&& if_uid(std::string of_object) && {
        uid = std::move(of_object);
        return std::move(*this);
    }
    KubeRequest&& within(Duration time) && {
        timeout = time;
        return std::move(*this);
    }
};

struct KubeReply {
    std::string body;  ///< JSON text
};

CAPSTAN_NAMESPACE_END
