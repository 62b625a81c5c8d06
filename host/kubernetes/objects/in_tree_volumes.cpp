#include "kubernetes/objects/in_tree_volumes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/well_known.hpp>

#include "kubernetes/objects/object_encode.hpp"

namespace capstan::kubernetes::objects {
namespace {

/// The CSI handle of a volume; absent: it has none.
using Handle = std::optional<std::string>;

Handle same_handle(const JsonCursor&, std::string_view id, const Labels&) {
    return std::string(id);
}

/// "vol-1" in "aws://ZONE/vol-1", "aws:///vol-1" and "vol-1".
Handle ebs_handle(const JsonCursor&, std::string_view id, const Labels&) {
    constexpr std::string_view scheme = "aws://";
    if (!id.starts_with(scheme)) return std::string(id);
    id.remove_prefix(scheme.size());
    id.remove_prefix(std::min(id.find('/'), id.size()));
    while (id.starts_with('/')) id.remove_prefix(1);
    while (id.ends_with('/')) id.remove_suffix(1);
    const bool is_volume = id.starts_with("vol-") && id.find('/') == std::string_view::npos;
    return is_volume ? Handle(id) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t end = text.find(separator);
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + separator.size());
    }
}

/// "europe-west1" for "europe-west1-b"; absent: zones do not look so, or are of several regions.
Handle region_of(const std::vector<std::string_view>& zones) {
    std::optional<std::string> out;
    for (const std::string_view zone : zones) {
        if (std::ranges::count(zone, '-') != 2) return std::nullopt;
        const std::string_view region = zone.substr(0, zone.rfind('-'));
        if (out && *out != region) return std::nullopt;
        out = region;
    }
    return out;
}

/// A disk in its zone, or in its region if it has several zones.
Handle gce_handle(const JsonCursor&, std::string_view disk, const Labels& labels) {
    constexpr std::string_view project = "projects/UNSPECIFIED/";
    std::string_view label;
    for (const std::string_view key : {well_known::zone_label, well_known::beta_zone_label}) {
        const auto at = labels.find(key);
        if (at != labels.end() && !at->second.empty()) label = at->second;
    }
    const std::vector<std::string_view> zones = split(label, "__");
    std::string place = "zones/" + std::string(label.empty() ? "UNSPECIFIED" : label);
    if (zones.size() > 1) {
        const Handle region = region_of(zones);
        if (!region) return std::nullopt;
        place = "regions/" + *region;
    }
    return std::string(project) + place + "/disks/" + std::string(disk);
}

Handle azure_handle(const JsonCursor& source, std::string_view uri, const Labels&) {
    const std::string_view kind = source["kind"].text().value_or("Managed");
    return lower_case(kind) == "managed" ? Handle(uri) : std::nullopt;
}

struct Plugin {
    std::string_view name, driver;
    std::string_view source, id;  ///< members: of a volume, and of the source
    Handle (*handle)(const JsonCursor& source, std::string_view id, const Labels& labels);
};

constexpr Plugin plugins[] = {
    {"kubernetes.io/aws-ebs", "ebs.csi.aws.com", "awsElasticBlockStore", "volumeID", ebs_handle},
    {"kubernetes.io/azure-disk", "disk.csi.azure.com", "azureDisk", "diskURI", azure_handle},
    {"kubernetes.io/cinder", "cinder.csi.openstack.org", "cinder", "volumeID", same_handle},
    {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gcePersistentDisk", "pdName", gce_handle},
    {"kubernetes.io/portworx-volume", "pxd.portworx.com", "portworxVolume", "volumeID",
     same_handle}};

}  // namespace

std::string_view find_csi_driver(std::string_view plugin) noexcept {
    const auto* const at = std::ranges::find(plugins, plugin, &Plugin::name);
    return at != std::end(plugins) ? at->driver : std::string_view();
}

std::set<std::string> find_migrated_drivers(std::string_view names) {
    std::set<std::string> out;
    for (const std::string_view name : split(names, ","))
        if (const std::string_view driver = find_csi_driver(name); !driver.empty())
            out.emplace(driver);
    return out;
}

bool is_migration_name(std::string_view text) noexcept {
    return std::ranges::any_of(plugins, [&](const Plugin& plugin) {
        return text == plugin.name || text == plugin.driver;
    });
}

std::optional<engine::snapshot::InTreeVolume> decode_in_tree_volume(const JsonCursor& volume,
                                                                    const Labels& labels) {
    for (const Plugin& plugin : plugins) {
        const JsonCursor source = volume[plugin.source];
        if (!source) continue;
        const auto id = source.required(plugin.id).name();
        if (!id) return std::nullopt;
        Handle handle = plugin.handle(source, *id, labels);
        if (!handle) return std::nullopt;
        return engine::snapshot::InTreeVolume{.driver = std::string(plugin.driver),
                                              .handle = *std::move(handle)};
    }
    return std::nullopt;
}

boost::json::object encode_in_tree_volume(const engine::snapshot::InTreeVolume& volume) {
    const auto* const plugin = std::ranges::find(plugins, volume.driver, &Plugin::driver);
    if (plugin == std::end(plugins)) return {};
    // The name of a GCE disk is the last part of its handle. Other ids are handles themselves.
    const std::string_view handle = volume.handle;
    const bool is_disk_name = plugin->source == "gcePersistentDisk";
    const std::string_view id = is_disk_name ? handle.substr(handle.rfind('/') + 1) : handle;
    return {{plugin->source, boost::json::object{{plugin->id, encode_text(id)}}}};
}

}  // namespace capstan::kubernetes::objects
