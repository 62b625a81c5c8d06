/// Cases of tests/cases/similarity.toml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/similarity.hpp>
#include <capstan/testing/setting_value.hpp>

namespace capstan::tests {

struct SimilarityCase {
    std::string title;
    testing::Value::Table settings{};
    NodeTemplate a, b;
    SimilarityVerdict verdict = SimilarityVerdict::differs;
    std::string because{};  ///< part of the reason; empty: not checked
};

/// The cases of one check: "resources" or "labels". Throws if the file is invalid.
std::vector<SimilarityCase> similarity_cases(std::string_view check);

}  // namespace capstan::tests
