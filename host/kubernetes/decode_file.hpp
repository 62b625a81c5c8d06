/// Dumps of clusters.
#pragma once

#include <filesystem>

#include <capstan/result.hpp>

#include "kubernetes/list_decoder.hpp"

namespace capstan::kubernetes {

/// A whole file, packed by gzip or not; "-": standard input. Fails only where it cannot be read or
/// unpacked, or is YAML.
Result<DecodeReport> decode_file(const std::filesystem::path& file, engine::ClusterSink& sink,
                                 ObjectListener listener = {});

}  // namespace capstan::kubernetes
