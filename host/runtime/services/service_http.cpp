#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status send_http(const capstan_host* host, const capstan_http_request* request,
                         capstan_http_done done, void* user) noexcept {
    if (request == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    PluginHttp* const requests = context(host).http();
    if (requests == nullptr) return CAPSTAN_E_PERMISSION;
    return guarded([&] { return requests->send(*request, done, user); });
}

}  // namespace

const capstan_http http{sizeof http, 0, &send_http};

}  // namespace capstan::runtime::services
