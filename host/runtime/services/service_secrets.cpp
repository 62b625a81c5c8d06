#include <algorithm>

#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

bool is_secret_granted(const HostContext& of, std::string_view name) {
    const auto& names = of.identity().grants.secrets;
    return std::find(names.begin(), names.end(), name) != names.end();
}

Result<SecretText> read_secret(const HostContext& of, std::string_view name) {
    if (!is_secret_granted(of, name))
        return fail(ErrorCode::permission, "is not granted; add it to plugin." +
                                               of.identity().id.value() + ".grants.secrets");
    if (of.secrets() == nullptr)
        return fail(ErrorCode::permission, "there is no [secrets] dir to read it from");
    Result<SecretText> secret = of.secrets()->read(name);
    if (!secret)
        of.say(LogLevel::warn, "secret " + std::string(name) + ": " + secret.error().message);
    return secret;
}

capstan_status with(const capstan_host* host, capstan_str name,
                    void (*fn)(void*, capstan_str) CAPSTAN_NOEXCEPT,
                    void (*on_error)(void*, const capstan_error*) CAPSTAN_NOEXCEPT,
                    void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const Result<SecretText> secret = read_secret(context(host), text(name));
        if (secret) {
            distrusted(fn)(user, str(secret->view()));
            return CAPSTAN_OK;
        }
        const Error error = within("secret " + std::string(text(name)), secret.error());
        const capstan_error raw = to_abi(error);
        if (on_error != nullptr) distrusted(on_error)(user, &raw);
        return raw.code;
    });
}

}  // namespace

const capstan_secrets secrets{sizeof secrets, 0, &with};

}  // namespace capstan::runtime::services
