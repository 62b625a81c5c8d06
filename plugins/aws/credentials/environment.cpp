#include "environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr const char* variable_names[] = {
    "HOME",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
    "AWS_MAX_ATTEMPTS",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_AUTO_SCALING",
    "AWS_ENDPOINT_URL_EC2",
    "AWS_ENDPOINT_URL_EKS",
    "AWS_ENDPOINT_URL_STS",
    "AWS_ENDPOINT_URL_IAM",
    "AWS_ENDPOINT_URL_SQS",
};

Variables read_process_variables() {
    Variables out;
    for (const char* name : variable_names) {
        // The plugin changes no variable, and no thread of the host does once it runs.
        const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr && *value != '\0') out.emplace(name, value);
    }
    return out;
}

class FileHandle {
public:
    explicit FileHandle(const std::string& path)
        : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() {
        if (fd_ >= 0) ::close(fd_);
    }
    int fd() const noexcept { return fd_; }

private:
    int fd_;
};

[[noreturn]] void complain_of_file(const std::string& path, int number) {
    const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::not_found
                           : number == EACCES || number == EPERM ? ErrorCode::permission
                                                                 : ErrorCode::unavailable;
    const char* const why = code == ErrorCode::not_found    ? "there is no such file"
                            : code == ErrorCode::permission ? "it may not be read"
                                                            : "it cannot be read";
    throw Failure(code, in_quotes(path) + ": " + why);
}

/// Tokens and profiles are small; what is larger is another file.
constexpr std::size_t file_size_max = std::size_t{1} << 20;

std::string read_machine_file(const std::string& path) {
    const FileHandle file(path);
    struct stat about{};
    if (file.fd() < 0 || ::fstat(file.fd(), &about) != 0) complain_of_file(path, errno);
    if (!S_ISREG(about.st_mode))
        throw Failure(ErrorCode::unavailable, in_quotes(path) + ": it is no file");
    std::string out;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t size = ::read(file.fd(), part.data(), part.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) complain_of_file(path, errno);
        if (size == 0) return out;
        out.append(part.data(), static_cast<std::size_t>(size));
        if (out.size() > file_size_max)
            throw Failure(ErrorCode::unavailable, in_quotes(path) + ": it is larger than 1 MiB");
    }
}

}  // namespace

Task<Variables> MachineEnvironment::variables() {
    co_return co_await blocking(host_, &read_process_variables);
}

Task<std::string> MachineEnvironment::read_file(std::string path) {
    co_return co_await blocking(host_, &read_machine_file, std::move(path));
}

std::string find_variable(const Variables& variables, std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
}

bool is_switched_on(const Variables& variables, std::string_view name) {
    std::string value = find_variable(variables, name);
    for (char& c : value) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return value == "true";
}

}  // namespace capstan::aws
