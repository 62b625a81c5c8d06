#include "new_similarity.hpp"

#include <optional>
#include <string_view>

#include <capstan/sentence.hpp>

namespace {

using Label = std::optional<std::string_view>;

std::string shown(const Label& value) {
    return value ? capstan::in_quotes(*value) : std::string("absent");
}

/// FNV-1a, which is the same on every machine, so that a recorded pass can be replayed.
std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

capstan::Schema NewSimilarity::schema() {
    return {{.key = "labels",
             .type = capstan::SettingType::string,
             .doc = "Labels that must be equal in similar groups.",
             .default_value = R"(["kubernetes.io/arch", "kubernetes.io/os"])",
             .list = true}};
}

NewSimilarity::NewSimilarity(const capstan::Settings& settings)
    : labels_(settings.texts("labels")) {}

capstan::Similarity NewSimilarity::similar(const capstan::Call&, const capstan::TemplateView& a,
                                           const capstan::TemplateView& b) const {
    for (const std::string& key : labels_) {
        const Label of_a = find(a.labels(), key);
        const Label of_b = find(b.labels(), key);
        if (of_a == of_b) continue;
        return capstan::differs("label " + key + ": " + shown(of_a) + ", " + shown(of_b));
    }
    return capstan::agrees("same " +
                           capstan::counted(static_cast<std::int64_t>(labels_.size()), "label"));
}

std::uint64_t NewSimilarity::bucket(const capstan::Call&, const capstan::TemplateView& node) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::string& key : labels_) {
        const Label value = find(node.labels(), key);
        // The first character separates an absent label from an empty value, and "ab" "c" from
        // "a" "bc".
        hash = value ? mixed(mixed(hash, "="), *value) : mixed(hash, "-");
    }
    return hash;
}
