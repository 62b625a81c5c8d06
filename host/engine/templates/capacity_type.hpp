/// On what terms a machine is had: on demand, or as spot.
#pragma once

#include <capstan/labels.hpp>

namespace capstan::engine::templates {

/// Whether a node with these labels may be reclaimed by its cloud. Clouds and installers mark that
/// with labels of their own.
bool is_spot(const Labels& labels);

}  // namespace capstan::engine::templates
