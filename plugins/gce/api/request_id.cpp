#include "request_id.hpp"

#include <cstdint>
#include <cstdio>

namespace capstan::gce {

std::string make_request_id(const Host& host) {
    const std::uint64_t high = host.random(), low = host.random();
    char out[37];
    std::snprintf(out, sizeof out, "%08x-%04x-4%03x-%04x-%012llx",
                  static_cast<unsigned>(high >> 32), static_cast<unsigned>((high >> 16) & 0xffff),
                  static_cast<unsigned>(high & 0xfff),
                  static_cast<unsigned>(0x8000 | ((low >> 48) & 0x3fff)),
                  static_cast<unsigned long long>(low & 0xffffffffffffULL));
    return out;
}

}  // namespace capstan::gce
