#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status send_http(const capstan_host* host, const capstan_http_request* request,
                         capstan_http_done done, void* user) noexcept {
    return guarded([&] { return context(host).http().send(request, done, user); });
}

}  // namespace

const capstan_http http{sizeof http, 0, &send_http};

}  // namespace capstan::runtime::services
