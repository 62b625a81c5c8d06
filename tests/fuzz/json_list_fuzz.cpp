#include <algorithm>

#include "engine/snapshot/cluster_builder.hpp"
#include "fuzzing.hpp"
#include "kubernetes/objects/list_decoder.hpp"

namespace {

capstan::kubernetes::objects::DecodeReport decode(std::string_view text, std::size_t piece) {
    capstan::engine::snapshot::ClusterBuilder cluster;
    capstan::kubernetes::objects::ListDecoder decoder(cluster);
    while (!text.empty()) {
        const std::string_view next = text.substr(0, piece);
        text.remove_prefix(next.size());
        if (!decoder.feed(next)) break;
    }
    auto report = decoder.finish();
    (void)cluster.build();
    return report;
}

}  // namespace

/// The first byte sets the size of the pieces in which the rest arrives.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    if (size == 0) return 0;
    const std::string_view text = fuzz::text_of(data + 1, size - 1);
    const kubernetes::objects::DecodeReport whole =
        decode(text, std::max<std::size_t>(text.size(), 1));
    const kubernetes::objects::DecodeReport pieces = decode(text, std::size_t{data[0]} % 64 + 1);
    fuzz::require(whole.loaded == pieces.loaded && whole.left_out == pieces.left_out &&
                      whole.problems == pieces.problems,
                  "a list is read the same in pieces of any size");
    return 0;
}
