#include "engine/pods/pod_group_key.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::pods {
namespace {

std::string labels_text(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) {
    std::string out;
    for (const snapshot::LabelPair& label : row.labels) {
        out.append(out.empty() ? "" : ",").append(cluster.text(label.key)).append("=");
        out.append(cluster.text(label.value));
    }
    return out;
}

}  // namespace

std::string pod_group_key(const snapshot::Cluster& cluster, PodGroupId equivalence_group) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    const snapshot::PodOwner& owner = *row.owner;
    std::string out = std::string(cluster.text(row.ns)) + "/" + owner.kind + "/" +
                      (owner.kind.empty() ? labels_text(cluster, row) : owner.name);
    snapshot::FastHash hash;
    hash.add(snapshot::hash_of(*row.spec));
    for (const snapshot::Symbol claim : row.claims) hash.add(cluster.text(claim));
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016" PRIx64, hash.value());
    return out.append("#").append(digits.data());
}

std::string_view controller_of(std::string_view pod_group_key) noexcept {
    return pod_group_key.substr(0, pod_group_key.rfind('#'));
}

std::string spec_of(std::string_view pod_group_key) {
    const std::string_view ns = pod_group_key.substr(0, pod_group_key.find('/'));
    const std::string_view hash = pod_group_key.substr(controller_of(pod_group_key).size());
    return std::string(ns).append(hash);
}

}  // namespace capstan::engine::pods
