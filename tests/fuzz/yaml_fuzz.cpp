#include <string>

#include "fuzzing.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const std::string text(fuzz::text_of(data, size));
    const auto read = kubernetes::client::parse_yaml("input", text);
    if (read) {
        (void)kubernetes::client::json_of(*read);
    } else {
        fuzz::require(read.error().message.starts_with("input"), "an error names its file");
    }
    return 0;
}
