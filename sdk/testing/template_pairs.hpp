/// Templates that are often similar, to find contradictions in the results of a similarity check.
#pragma once

#include <cstdint>
#include <vector>

#include <capstan/node_template.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

struct TemplatePair {
    NodeTemplate a, b;
};
std::vector<TemplatePair> template_pairs(std::uint64_t seed, int count);

}  // namespace testing
CAPSTAN_NAMESPACE_END
