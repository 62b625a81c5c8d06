#include "kubernetes/decode_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gzip.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::size_t piece_size = 256 * 1024;

bool is_yaml(std::string_view start) {
    constexpr std::string_view starts[] = {
        "apiVersion:", "items:", "kind:", "---", "metadata:", "- "};
    return std::ranges::any_of(starts,
                               [&](std::string_view one) { return start.starts_with(one); });
}

}  // namespace

Result<DecodeReport> decode_file(const std::filesystem::path& file, engine::ClusterSink& sink,
                                 ObjectListener listener) {
    CAPSTAN_TRY(io::TextFile in, io::TextFile::open(file));
    ListDecoder decoder(sink, std::move(listener));
    std::vector<char> piece(piece_size);
    for (bool is_first = true;; is_first = false) {
        CAPSTAN_TRY(const std::size_t size, in.read(piece));
        if (is_first && is_yaml({piece.data(), size}))
            return fail(ErrorCode::invalid_argument,
                        in.name() + ": is YAML; expects JSON, as of kubectl get ... -o json");
        if (size == 0 || !decoder.feed({piece.data(), size})) break;
    }
    DecodeReport out = decoder.finish();
    if (out.cut_short) out.cut_short = within(in.name(), *std::move(out.cut_short));
    return out;
}

}  // namespace capstan::kubernetes
