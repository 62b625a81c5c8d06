#include "kubernetes/pod_volumes.hpp"

#include <algorithm>

namespace capstan::kubernetes {

namespace {

bool is_local(const JsonPlace& volume) {
    if (volume["hostPath"]) return true;
    const JsonPlace empty_dir = volume["emptyDir"];
    return empty_dir && empty_dir["medium"].text() != "Memory";
}

}  // namespace

std::vector<std::string> decode_local_volumes(const JsonPlace& volumes) {
    std::vector<std::string> out;
    for (const JsonPlace& volume : volumes.items()) {
        if (is_local(volume)) out.emplace_back(volume["name"].text().value_or(""));
    }
    std::ranges::sort(out);
    return out;
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
