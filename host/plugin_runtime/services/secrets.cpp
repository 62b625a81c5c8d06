#include "plugin_runtime/services/secrets.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <capstan/setting_rules.hpp>

#include "io/file_descriptor.hpp"
#include "io/known_secrets.hpp"

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::size_t size_limit = 1 << 20;

Result<io::FileDescriptor> open_secret(const std::filesystem::path& file) {
    // Links are followed: Kubernetes mounts a Secret as links, so that all its files change at
    // once.
    io::FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd) return fd;
    if (errno == ENOENT) return fail(ErrorCode::not_found, file.string() + " does not exist");
    return fail(ErrorCode::unavailable, "open " + file.string() + ": " + io::errno_message());
}

Result<SecretText> read_secret_file(const io::FileDescriptor& fd,
                                    const std::filesystem::path& file) {
    struct stat facts{};
    if (::fstat(fd.get(), &facts) != 0)
        return fail(ErrorCode::unavailable, "stat " + file.string() + ": " + io::errno_message());
    if (!S_ISREG(facts.st_mode))
        return fail(ErrorCode::unavailable, file.string() + " is not a regular file");
    SecretText secret(size_limit);
    std::array<char, 4096> block;
    ssize_t bytes = 0;
    bool fits = true;
    while (fits && (bytes = ::read(fd.get(), block.data(), block.size())) > 0) {
        fits = secret.append({block.data(), static_cast<std::size_t>(bytes)});
    }
    const int error = errno;
    OPENSSL_cleanse(block.data(), block.size());
    if (!fits) return fail(ErrorCode::unavailable, file.string() + " is larger than 1 MiB");
    if (bytes < 0)
        return fail(ErrorCode::unavailable, "read " + file.string() + ": " + std::strerror(error));
    return secret;
}

}  // namespace

SecretText::SecretText(SecretText&& other) noexcept : text_(std::move(other.text_)) {
    // A short text lies inside the string object itself, where moving leaves it behind.
    other.wipe();
}

bool SecretText::append(std::string_view part) {
    if (text_.capacity() - text_.size() < part.size()) return false;
    text_ += part;
    return true;
}

void SecretText::wipe() noexcept {
    OPENSSL_cleanse(text_.data(), text_.capacity());
    text_.clear();
}

Result<SecretText> DirectorySecrets::read(std::string_view name) const {
    if (!is_secret_name(name)) {
        return fail(ErrorCode::invalid_argument,
                    "invalid secret name: use letters, digits, '.', '_' and '-'");
    }
    const std::filesystem::path file = directory_ / name;
    CAPSTAN_TRY(const io::FileDescriptor fd, open_secret(file));
    CAPSTAN_TRY(SecretText secret, read_secret_file(fd, file));
    if (secret.view().ends_with('\n')) secret.drop_last();
    io::known_secrets().add(secret.view());
    return secret;
}

}  // namespace capstan::plugin_runtime::services
