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
    /// `labels`: the keys that are compared. Without the label is a value of its own.
    static capstan::Schema schema();
    explicit NewSimilarity(const capstan::Settings& settings);

    capstan::Similarity similar(const capstan::Call& call, const capstan::TemplateView& a,
                                const capstan::TemplateView& b) const;
    /// Saves the host from comparing every pair: only templates in one bucket can agree.
    std::uint64_t bucket(const capstan::Call& call, const capstan::TemplateView& node) const;

private:
    std::vector<std::string> labels_;
};
