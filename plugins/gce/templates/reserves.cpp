#include "reserves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

namespace capstan::gce {
namespace {

constexpr std::int64_t kib = 1024, mib = std::int64_t{1} << 20, gib = std::int64_t{1} << 30;

/// `share` of `whole`, rounded up.
std::int64_t share_up(double share, std::int64_t whole) {
    return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(whole)));
}

/// The reserve against a disk that fills up.
std::int64_t filling_reserve(std::int64_t disk) {
    return std::min<std::int64_t>(100 * mib, share_up(0.001, disk));
}

/// In KiB, by the number of disks, as measured on GKE's images.
struct Overhead {
    std::int64_t disks, cos, ubuntu;
};
constexpr auto overheads = std::to_array<Overhead>({{1, 7'289'472, 7'219'840},
                                                    {2, 13'725'224, 13'651'496},
                                                    {3, 20'031'312, 19'953'488},
                                                    {4, 26'332'924, 26'255'100},
                                                    {5, 32'634'536, 32'556'712},
                                                    {6, 38'946'604, 38'860'588},
                                                    {7, 45'254'008, 45'163'896},
                                                    {8, 51'556'096, 51'465'984},
                                                    {16, 52'837'800, 52'747'688},
                                                    {24, 78'686'620, 78'601'704}});

/// A share of the amount between the previous tier's `up_to` and this one's.
struct Tier {
    std::int64_t up_to;
    double share;
};
constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
constexpr auto memory_tiers = std::to_array<Tier>(
    {{4000, 0.25}, {8000, 0.2}, {16'000, 0.1}, {128'000, 0.06}, {no_end, 0.02}});
constexpr auto cpu_tiers =
    std::to_array<Tier>({{1000, 0.06}, {2000, 0.01}, {4000, 0.005}, {no_end, 0.0025}});

template <std::size_t size>
std::int64_t reserve_by_tiers(const std::array<Tier, size>& tiers, std::int64_t whole) {
    double out = 0;
    std::int64_t from = 0;
    for (const Tier& tier : tiers) {
        if (whole <= from) break;
        out += tier.share * static_cast<double>(std::min(whole, tier.up_to) - from);
        from = tier.up_to;
    }
    // Compensates for rounding errors of floating point.
    return static_cast<std::int64_t>(out + 0.001);
}

std::optional<std::string> find_reserved_text(const KubeEnv& env, std::string_view variable,
                                              std::string_view argument,
                                              std::vector<std::string>& warnings) {
    Result<std::optional<std::string>> out = env.find_autoscaler_variable(variable);
    if (!out) warnings.push_back("kube-env: " + out.error().message);
    if (out && *out) return *std::move(out);
    return env.find_kubelet_argument(argument);
}

/// Parses a list of amounts. Malformed amounts are ignored; nullopt if the text is not a list.
std::optional<Resources> read_amounts(const std::string& text, std::string_view variable,
                                      std::vector<std::string>& warnings) {
    const Result<PairList> pairs = parse_pairs(text);
    if (!pairs) {
        warnings.push_back("kube-env, " + std::string(variable) + ": " + pairs.error().message);
        return std::nullopt;
    }
    Resources out;
    for (const auto& [name, written] : *pairs) {
        const bool is_known = name == well_known::cpu || name == well_known::memory ||
                              name == well_known::ephemeral_storage;
        if (!is_known) continue;  // processes and the like are none of a node's resources
        const Result<Quantity> quantity = parse_quantity(written);
        const std::int64_t amount = quantity ? amount_of(name, *quantity) : -1;
        if (amount >= 0)
            out.set(name, amount);
        else
            warnings.push_back("kube-env, " + std::string(variable) + ": " + in_quotes(written) +
                               " is not a valid amount of " + name);
    }
    return out;
}

std::optional<double> find_percentage(std::string_view text) {
    if (!text.ends_with('%')) return std::nullopt;
    text.remove_suffix(1);
    const Result<Json> number = parse_json(text);
    const std::optional<double> out = number ? number->number() : std::nullopt;
    if (!out || *out < 0 || *out > 100) return std::nullopt;
    return *out / 100;
}

void read_threshold(const std::string& name, const std::string& written, EvictionThresholds& out,
                    std::vector<std::string>& warnings) {
    if (name == "memory.available") {
        const Result<Bytes> amount = parse_bytes(written);
        if (amount && amount->count() >= 0) return void(out.memory = amount->count());
    } else if (name == "nodefs.available") {
        const std::optional<double> share = find_percentage(written);
        if (share) return void(out.storage_share = *share);
    } else {
        return;
    }
    warnings.push_back("kube-env, evictionHard: " + in_quotes(written) +
                       " is not a valid threshold of " + name + "; using the default");
}

}  // namespace

std::int64_t kernel_reserve(const NodeImage& image, std::int64_t memory) {
    if (image.os != "linux") return 0;
    std::int64_t out = memory / 64 + 16 * mib;
    if (memory > 3 * gib) out += 64 * mib;
    if (memory <= 8 * gib) out += 8 * mib;
    const auto correction = static_cast<std::int64_t>(
        std::min(0.00175 * static_cast<double>(memory), static_cast<double>(248 * mib)));
    if (image.distribution == Distribution::cos) {
        out += correction;
        if (image.arch == "arm64")
            out = static_cast<std::int64_t>(std::round(static_cast<double>(out) * 0.9971));
    } else if (image.distribution == Distribution::ubuntu) {
        out += correction + 4 * mib;
    }
    return out;
}

std::int64_t boot_disk_reserve(const NodeImage& image, std::int64_t disk) {
    switch (image.distribution) {
        case Distribution::cos: {
            const std::int64_t arm = image.arch == "arm64" ? 64 * mib : 0;
            return share_up(0.015635, disk) + share_up(4.148, gib) + filling_reserve(disk) + arm;
        }
        case Distribution::ubuntu:
            return share_up(0.03083, disk) + share_up(0.171, gib) + filling_reserve(disk);
        case Distribution::windows: return share_up(0.1133, gib) + share_up(0.010, gib);
        case Distribution::unknown: break;
    }
    return 0;
}

std::optional<std::int64_t> local_ssd_overhead(Distribution distribution, std::int64_t disks) {
    if (distribution != Distribution::cos && distribution != Distribution::ubuntu)
        return std::nullopt;
    if (disks < 1) return 0;
    const auto at = std::find_if(overheads.begin(), overheads.end() - 1,
                                 [disks](const Overhead& row) { return disks <= row.disks; });
    return (distribution == Distribution::cos ? at->cos : at->ubuntu) * kib;
}

Resources predicted_reserve(std::int64_t vcpus, std::int64_t memory) {
    const std::int64_t in_mib = memory / mib;
    Resources out;
    out.set(well_known::cpu, reserve_by_tiers(cpu_tiers, vcpus * 1000));
    out.set(well_known::memory,
            (in_mib <= 1000 ? 255 : reserve_by_tiers(memory_tiers, in_mib)) * mib);
    return out;
}

EvictionThresholds read_eviction(const KubeEnv& env, std::vector<std::string>& warnings) {
    EvictionThresholds out;
    const std::optional<std::string> text =
        env.find_autoscaler_variable("evictionHard").value_or(std::nullopt);
    if (!text) return out;
    const Result<PairList> pairs = parse_pairs(*text);
    if (!pairs) {
        warnings.push_back("kube-env, evictionHard: " + pairs.error().message);
        return out;
    }
    for (const auto& [name, written] : *pairs) read_threshold(name, written, out, warnings);
    return out;
}

Resources read_reserved(const KubeEnv& env, const Resources& predicted,
                        std::vector<std::string>& warnings) {
    const auto kube = find_reserved_text(env, "kube_reserved", "kube-reserved", warnings);
    const auto system = find_reserved_text(env, "system_reserved", "system-reserved", warnings);
    std::optional<Resources> out, more;
    if (kube) out = read_amounts(*kube, "kube_reserved", warnings);
    if (system) more = read_amounts(*system, "system_reserved", warnings);
    return out.value_or(predicted) + more.value_or(Resources());
}

}  // namespace capstan::gce
