#include "ephemeral_storage.hpp"

#include <algorithm>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "reserves.hpp"

namespace capstan::gce {
namespace {

constexpr std::int64_t gib_of_storage = std::int64_t{1} << 30;

std::optional<std::int64_t> find_boot_disk_size(const TemplateSources& sources) {
    for (const TemplateDisk& disk : sources.instance_template.disks) {
        if (!disk.is_boot) continue;
        if (disk.size_gb && *disk.size_gb > 0) return disk.size_gb;
        if (sources.image && sources.image->size_gb > 0) return sources.image->size_gb;
        return std::nullopt;
    }
    return std::nullopt;
}

/// A variable that cannot be read is absent and causes a warning.
std::optional<std::string> storage_variable(const KubeEnv& env, std::string_view name,
                                            std::vector<std::string>& warnings) {
    Result<std::optional<std::string>> out = env.find_autoscaler_variable(name);
    if (out) return *std::move(out);
    warnings.push_back("kube-env: " + out.error().message);
    return std::nullopt;
}

std::int64_t local_ssds_asked_for(const KubeEnv& env, std::vector<std::string>& warnings) {
    const auto text = storage_variable(env, "ephemeral_storage_local_ssd_count", warnings);
    if (!text) return 0;
    const auto count = find_whole_number(*text);
    if (count && *count >= 0) return *count;
    warnings.push_back("kube-env: ephemeral_storage_local_ssd_count is not a number: " +
                       in_quotes(*text));
    return 0;
}

Result<std::optional<std::int64_t>> storage_of_ssds(const TemplateSources& sources,
                                                    const NodeImage& image, std::int64_t asked) {
    const std::int64_t there = count_local_ssds(sources.instance_template, sources.machine_type);
    if (there < asked)
        return fail(ErrorCode::unsupported, "kube-env requires " + counted(asked, "local SSD") +
                                                " as ephemeral storage, the machine type has " +
                                                std::to_string(there));
    const auto overhead = local_ssd_overhead(image.distribution, asked);
    if (!overhead)
        return fail(
            ErrorCode::unsupported,
            "the image does not support local SSDs as ephemeral storage, which kube-env requires");
    const std::int64_t size =
        asked * gib_of_storage * local_ssd_size_of(sources.instance_template.machine_type);
    return std::optional(std::max<std::int64_t>(0, size - *overhead));
}

}  // namespace

std::int64_t count_local_ssds(const InstanceTemplate& from,
                              const std::optional<GceMachineType>& type) {
    const auto count = std::ranges::count_if(from.disks, [](const TemplateDisk& disk) {
        return disk.type == "SCRATCH" && disk.disk_type == "local-ssd";
    });
    return std::max<std::int64_t>(count, type ? type->bundled_local_ssds : 0);
}

std::int64_t local_ssd_size_of(const std::string& machine_type) noexcept {
    return machine_type.starts_with("z3-") ? 3000 : 375;
}

Result<std::optional<std::int64_t>> find_ephemeral_storage(const TemplateSources& sources,
                                                           const KubeEnv& env,
                                                           const NodeImage& image,
                                                           std::vector<std::string>& warnings) {
    if (const std::int64_t asked = local_ssds_asked_for(env, warnings); asked > 0)
        return storage_of_ssds(sources, image, asked);
    const auto blocked = storage_variable(env, "BLOCK_EPH_STORAGE_BOOT_DISK", warnings);
    if (blocked == "true") return std::optional<std::int64_t>();
    const std::optional<std::int64_t> size = find_boot_disk_size(sources);
    if (!size) {
        warnings.push_back(
            "the size of its boot disk is unknown, so its ephemeral storage is unknown too");
        return std::optional<std::int64_t>();
    }
    const std::int64_t bytes = *size * gib_of_storage;
    return std::optional(std::max<std::int64_t>(0, bytes - boot_disk_reserve(image, bytes)));
}

}  // namespace capstan::gce
