#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

/// Runs `use` with the instance's cluster.
template <class F>
capstan_status with_kube(const capstan_host* host, F&& use) noexcept {
    PluginKube* const kube = context(host).kube();
    if (kube == nullptr) return CAPSTAN_E_PERMISSION;
    return guarded([&] { return use(*kube); });
}

capstan_status send_kube(const capstan_host* host, const capstan_kube_request* request,
                         capstan_kube_done done, void* user) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.send(request, done, user); });
}

capstan_status resolve_kind(const capstan_host* host, capstan_str api_version, capstan_str kind,
                            capstan_op parent, capstan_kube_resolved done, void* user) noexcept {
    return with_kube(host, [&](PluginKube& kube) {
        return kube.resolve(api_version, kind, parent, done, user);
    });
}

capstan_status watch(const capstan_host* host, const capstan_kube_watch* what,
                     capstan_kube_on_event on_event, void* user, std::uint64_t* id) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.watch(what, on_event, user, id); });
}

capstan_status unwatch(const capstan_host* host, std::uint64_t id) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.unwatch(id); });
}

capstan_status record_event(const capstan_host* host, const capstan_kube_note* note) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.record(note); });
}

}  // namespace

const capstan_kube kube{sizeof kube, 0, &send_kube, &resolve_kind, &watch, &unwatch, &record_event};

}  // namespace capstan::runtime::services
