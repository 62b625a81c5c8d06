/// Agrees that new nodes of two groups are the same when certain labels are: groups that differ in
/// one of them are never balanced against each other.
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
    /// Only templates in one bucket can agree, so that the host need not compare every pair.
    std::uint64_t bucket(const capstan::Call& call, const capstan::TemplateView& node) const;

private:
    std::vector<std::string> labels_;
};
