#include <algorithm>

#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

bool is_secret_granted(const HostContext& of, std::string_view name) {
    const auto& names = of.identity().grants.secrets;
    return std::find(names.begin(), names.end(), name) != names.end();
}

capstan_status with(const capstan_host* host, capstan_str name,
                    void (*fn)(void*, capstan_str) CAPSTAN_NOEXCEPT, void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.secrets() == nullptr || !is_secret_granted(of, text(name)))
            return CAPSTAN_E_PERMISSION;
        const Result<SecretText> secret = of.secrets()->read(text(name));
        if (!secret) {
            of.say(LogLevel::warn,
                   "secret " + std::string(text(name)) + ": " + secret.error().message);
            return static_cast<capstan_status>(secret.error().code);
        }
        distrusted(fn)(user, str(secret->view()));
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_secrets secrets{sizeof secrets, 0, &with};

}  // namespace capstan::runtime::services
