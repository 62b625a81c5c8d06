#include <capstan/plugin.hpp>

#include "new_similarity.hpp"

CAPSTAN_PLUGIN("example.new_similarity", "0.1.0", "Example", CAPSTAN_KIND_SIMILARITY,
               capstan::make_class<NewSimilarity>(
                   {.id = "new_similarity",
                    .doc = "Two groups are similar if certain labels of new nodes are equal."}))
