#include "kubernetes/decode_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace capstan::kubernetes {
namespace {

constexpr std::size_t piece_size = 256 * 1024;

struct Closes {
    void operator()(std::FILE* file) const noexcept {
        if (file != stdin) std::fclose(file);
    }
};

Unexpected cannot_read(const std::string& name) {
    return fail(ErrorCode::not_found,
                name + ": cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

Result<DecodeReport> decode_file(const std::filesystem::path& file, engine::ClusterSink& sink,
                                 ObjectListener listener) {
    const bool is_standard_input = file == "-";
    const std::string name = is_standard_input ? "standard input" : file.string();
    const std::unique_ptr<std::FILE, Closes> in(
        is_standard_input ? stdin : std::fopen(file.c_str(), "rbe"));
    if (in == nullptr) return cannot_read(name);
    ListDecoder decoder(sink, std::move(listener));
    std::vector<char> piece(piece_size);
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), in.get())) {
        if (!decoder.feed({piece.data(), size})) break;
    }
    if (std::ferror(in.get()) != 0) return cannot_read(name);
    DecodeReport out = decoder.finish();
    if (out.cut_short) out.cut_short = within(name, *std::move(out.cut_short));
    return out;
}

}  // namespace capstan::kubernetes
