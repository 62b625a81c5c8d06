// The case `decode`: Kubernetes JSON to a cluster.
#include <optional>
#include <stdexcept>
#include <string>

#include "cases.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "kubernetes/objects/list_decoder.hpp"
#include "kubernetes_text.hpp"
#include "measured.hpp"

namespace capstan::bench {
namespace {

/// The size of one read of a socket.
constexpr std::size_t piece_size = 64 << 10;

/// Decodes a generated list and returns its size in bytes. The list is generated while it is read,
/// since 150,000 pods are more than a gigabyte of text. Generating takes a few percent of the time.
std::size_t decode_list(int pods, kubernetes::objects::ListDecoder& decoder) {
    std::string piece = list_head();
    std::size_t bytes = 0;
    const auto feed = [&] {
        bytes += piece.size();
        if (const auto fed = decoder.feed(piece); !fed)
            throw std::runtime_error(fed.error().message);
        piece.clear();
    };
    for (int i = 0; i < pods; ++i) {
        if (i > 0) piece += ',';
        piece += pod_text(i);
        if (piece.size() >= piece_size) feed();
    }
    piece += list_tail();
    feed();
    return bytes;
}

}  // namespace

boost::json::object measure_decode(int pods, int repeat) {
    std::optional<engine::snapshot::ClusterBuilder> builder;
    std::size_t text_bytes = 0;
    std::size_t cluster_bytes = 0;
    const Measured measured = Measured::repeat(
        repeat, [&] { builder.emplace(); },
        [&] {
            kubernetes::objects::ListDecoder decoder(*builder);
            text_bytes = decode_list(pods, decoder);
            decoder.finish();
            cluster_bytes = builder->build().bytes();
        });
    const double megabytes = static_cast<double>(text_bytes) / (1 << 20);
    return measured.line("decode",
                         {{"pods", pods},
                          {"text_mb", megabytes},
                          {"mb_per_second", megabytes / measured.median()},
                          {"snapshot_mb", static_cast<double>(cluster_bytes) / (1 << 20)}});
}

}  // namespace capstan::bench
