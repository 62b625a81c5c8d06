#include "accelerators.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::gce {
namespace {

/// The number of partitions of that size on one card.
struct Partition {
    std::string_view size;
    std::int64_t per_card;
};
constexpr auto partitions = std::to_array<Partition>({
    {"1g.5gb", 7},
    {"2g.10gb", 3},
    {"3g.20gb", 2},
    {"7g.40gb", 1},  // nvidia-tesla-a100
    {"1g.10gb", 7},
    {"2g.20gb", 3},
    {"3g.40gb", 2},
    {"7g.80gb", 1},  // nvidia-a100-80gb,
                     // nvidia-h100-80gb
    {"1g.18gb", 7},
    {"1g.35gb", 4},
    {"2g.35gb", 3},
    {"3g.71gb", 2},
    {"4g.71gb", 1},
    {"7g.141gb", 1},
    {"1g.20gb", 4},
    {"1g.23gb", 7},
    {"1g.45gb", 4},
    {"2g.45gb", 3},
    {"3g.90gb", 2},
    {"7g.180gb", 1},
});

std::string label_value_of(const Labels& labels, std::string_view key) {
    const auto at = labels.find(key);
    return at == labels.end() ? std::string() : at->second;
}

std::int64_t parts_of_card(const Labels& labels, std::vector<std::string>& warnings) {
    const std::string size = label_value_of(labels, "cloud.google.com/gke-gpu-partition-size");
    if (size.empty()) return 1;
    const auto at = std::ranges::find(partitions, std::string_view(size), &Partition::size);
    if (at != partitions.end()) return at->per_card;
    warnings.push_back("the GPU partition size " + in_quotes(size) +
                       " is unknown; one partition per GPU is assumed");
    return 1;
}

std::int64_t clients_of_part(const Labels& labels, std::vector<std::string>& warnings) {
    constexpr std::int64_t most = 48;
    if (label_value_of(labels, "cloud.google.com/gke-gpu-sharing-strategy").empty()) return 1;
    const std::string text =
        label_value_of(labels, "cloud.google.com/gke-max-shared-clients-per-gpu");
    const auto clients = find_whole_number(text);
    if (clients && *clients >= 1 && *clients <= most) return *clients;
    warnings.push_back("the number of clients per shared GPU is " + in_quotes(text) +
                       ", not a number from 1 to 48; GPUs are assumed not to be shared");
    return 1;
}

}  // namespace

std::vector<TemplateAccelerator> accelerators_of(const InstanceTemplate& from,
                                                 const std::optional<GceMachineType>& type) {
    if (!from.accelerators.empty() || !type) return from.accelerators;
    std::vector<TemplateAccelerator> out;
    for (const GceMachineType::Accelerator& accelerator : type->accelerators)
        out.push_back({accelerator.type, accelerator.count});
    return out;
}

std::int64_t count_gpus(const std::vector<TemplateAccelerator>& accelerators, const Labels& labels,
                        std::vector<std::string>& warnings) {
    std::int64_t cards = 0;
    for (const TemplateAccelerator& accelerator : accelerators)
        if (accelerator.type.starts_with("nvidia-")) cards += accelerator.count;
    if (cards == 0) return 0;
    return cards * parts_of_card(labels, warnings) * clients_of_part(labels, warnings);
}

}  // namespace capstan::gce
