/// Two groups are similar only if certain labels of their new nodes are equal. Groups that differ
/// in one of these labels are never balanced with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/settings.hpp>
#include <capstan/similarity.hpp>

class NewSimilarity {
public:
    /// `labels` are the keys that are compared. A missing label differs from every value.
    static capstan::Schema schema();
    explicit NewSimilarity(const capstan::Settings& settings);

    capstan::Similarity similar(const capstan::Call& call, const capstan::TemplateView& a,
                                const capstan::TemplateView& b) const;
    /// Only templates in one bucket can agree, so the host does not compare every pair.
    std::uint64_t bucket(const capstan::Call& call, const capstan::TemplateView& node) const;

private:
    std::vector<std::string> labels_;
};
