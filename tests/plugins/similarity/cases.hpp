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
    std::string because{};  ///< part of the reason; empty: not told
};

/// Those of one check: "resources" or "labels". Throws when the file is not as it should be.
std::vector<SimilarityCase> similarity_cases(std::string_view check);

}  // namespace capstan::tests
