#include "kubernetes/pod_volumes.hpp"

namespace capstan::kubernetes {

bool uses_local_storage(const JsonPlace& volumes) {
    for (const JsonPlace& volume : volumes.items()) {
        if (volume["hostPath"]) return true;
        const JsonPlace empty_dir = volume["emptyDir"];
        if (empty_dir && empty_dir["medium"].text() != "Memory") return true;
    }
    return false;
}

std::vector<std::string> decode_claims(const JsonPlace& volumes, std::string_view pod) {
    std::vector<std::string> out;
    for (const JsonPlace& volume : volumes.items()) {
        if (const JsonPlace claim = volume["persistentVolumeClaim"]) {
            out.emplace_back(claim.required("claimName").name().value_or(""));
        } else if (volume["ephemeral"]) {
            const auto name = volume.required("name").name();
            out.push_back(std::string(pod) + "-" + std::string(name.value_or("")));
        }
    }
    return out;
}

}  // namespace capstan::kubernetes
