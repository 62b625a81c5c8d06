#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzzing.hpp"
#include "kubernetes/client/access/kubeconfig.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    static const int file = ::memfd_create("kubeconfig", MFD_CLOEXEC);
    fuzz::require(file >= 0 && ::ftruncate(file, 0) == 0 &&
                      ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size),
                  "the input can be written into memory");
    const auto read = kubernetes::client::read_kubeconfig(
        {.file = "/proc/self/fd/" + std::to_string(file)}, kubernetes::client::Environment());
    if (!read) return 0;
    fuzz::require(read->cluster.server.starts_with("http"),
                  "the scheme of a server is http or https");
    fuzz::require(read->user.certificate.empty() == read->user.key.empty(),
                  "a certificate comes with its key");
    return 0;
}
