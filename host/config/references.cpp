#include "config/references.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <set>

#include <boost/asio/ip/address.hpp>

#include <capstan/ascii.hpp>
#include <capstan/label_syntax.hpp>

#include "config/configuration.hpp"
#include "config/kube_grant.hpp"
#include "config/metric_names.hpp"
#include "config/plugin_tls.hpp"
#include "config/text.hpp"
#include "io/url.hpp"

namespace capstan::config {

// Names of instances and secrets: their meaning, and whether they are valid in their place.

namespace {

/// A value in a tree, with its path.
struct Reference {
    std::string path;
    const SettingValue* value;
};

void collect(const SettingValue& at, SettingType type, const std::string& path,
             std::vector<Reference>& out) {
    if (at.shape == SettingValue::Shape::value && at.type == type) out.push_back({path, &at});
    for (std::size_t i = 0; i < at.children.size(); ++i) {
        const SettingValue& child = at.children[i];
        const bool plain = !at.text.empty();  // a table in its shorthand form, as a text
        const std::string below = at.shape == SettingValue::Shape::list
                                      ? path + "[" + std::to_string(i) + "]"
                                  : plain ? path
                                          : join_path(path, child.key);
        collect(child, type, below, out);
    }
}

std::vector<Reference> references(const SettingValue& tree, SettingType type,
                                  const std::string& path) {
    std::vector<Reference> out;
    collect(tree, type, path, out);
    return out;
}

std::vector<Reference> pipeline_names(const Config& config) {
    const SettingValue* pipeline = config.tree.find("pipeline");
    return pipeline == nullptr ? std::vector<Reference>{}
                               : references(*pipeline, SettingType::instance, "pipeline");
}

std::vector<std::string> known_names(const Config& config,
                                     const std::vector<std::string>& shipped) {
    std::vector<std::string> names;
    for (const PluginConfig& plugin : config.plugins) names.push_back(plugin.id.value());
    names.insert(names.end(), shipped.begin(), shipped.end());
    return names;
}

std::string quoted(const std::string& name) { return "'" + shortened(name, 60) + "'"; }

/// "; shipped plugins of kind cloud: aws, simulated". Empty: no plugin of the kind is shipped.
std::string shipped_of_kind(const ShippedPlugins& shipped, std::string_view kind) {
    const std::vector<std::string> names = shipped.names_of_kind(kind);
    if (names.empty()) return {};
    std::string_view word = kind.substr(0, kind.find('/'));
    word.remove_prefix(word.rfind('.') + 1);
    return "; shipped plugins of kind " + printable(word) + ": " + joined_names(names);
}

/// Finds the file of an instance without `file`.
void find_file(PluginConfig& plugin, const ShippedPlugins& shipped, Diagnostics& out) {
    if (!plugin.file.empty()) return;
    const std::string name = plugin.class_name.empty() ? plugin.id.value() : plugin.class_name;
    if (const auto file = shipped.find(name)) {
        plugin.file = file->string();
        plugin.shipped = true;
        return;
    }
    out.error(plugin.place, join_path("plugin", plugin.id.value()) +
                                ": there is no shipped plugin " + quoted(name) + "; set 'file'" +
                                suggestion(name, shipped.names()));
}

void add_shipped(Config& config, const Reference& name, const ShippedPlugins& shipped,
                 Diagnostics& out) {
    const SettingValue& value = *name.value;
    if (config.find_plugin(value.text) != nullptr) return;
    const auto file = shipped.find(value.text);
    if (!file) {
        std::string more = suggestion(value.text, known_names(config, shipped.names()));
        if (more.empty()) more = shipped_of_kind(shipped, value.instance_kind);
        out.error(value.place,
                  name.path + ": no plugin instance named " + quoted(value.text) + more);
        return;
    }
    config.plugins.push_back({.id = PluginInstanceId(value.text),
                              .declared = false,
                              .shipped = true,
                              .file = file->string(),
                              .settings = {.place = value.place},
                              .place = value.place,
                              .file_place = value.place});
}

void check_instance_kind(const Config& config, const Reference& name, const KindOf& kind_of,
                         Diagnostics& out) {
    const SettingValue& value = *name.value;
    if (config.find_plugin(value.text) == nullptr)
        return;  // add_shipped or check_instances has reported it
    const std::string kind = kind_of(PluginInstanceId(value.text));
    if (kind.empty() || value.instance_kind.empty() || kind == value.instance_kind) return;
    out.error(value.place, name.path + ": " + quoted(value.text) + " is of kind " +
                               printable(kind) + ", expected " + printable(value.instance_kind));
}

/// A plugin's settings may name only existing instances. Unlike the pipeline they declare none.
void check_instances(const Config& config, const PluginConfig& plugin, const SettingValue& settings,
                     Diagnostics& out) {
    for (const Reference& name :
         references(settings, SettingType::instance, settings_path(plugin))) {
        const std::string& id = name.value->text;
        if (config.find_plugin(id) != nullptr) continue;
        out.error(name.value->place, name.path + ": no plugin instance named " + quoted(id) +
                                         suggestion(id, known_names(config, {})));
    }
}

void check_secrets(const PluginConfig& plugin, const SettingValue& settings, Diagnostics& out) {
    for (const Reference& name : references(settings, SettingType::secret, settings_path(plugin))) {
        const std::string& secret = name.value->text;
        if (std::ranges::count(plugin.grants.secrets, secret) > 0) continue;
        const std::string table = join_path("plugin", plugin.id.value());
        out.error(name.value->place, name.path + ": secret " + quoted(secret) +
                                         " is not granted; add it to " + table + ".grants.secrets" +
                                         suggestion(secret, plugin.grants.secrets));
    }
}

}  // namespace

void find_plugin_files(Config& config, const ShippedPlugins& shipped, Diagnostics& diagnostics) {
    for (PluginConfig& plugin : config.plugins) find_file(plugin, shipped, diagnostics);
    for (const Reference& name : pipeline_names(config))
        add_shipped(config, name, shipped, diagnostics);
}

std::optional<SettingValue> validate_plugin_settings(const Config& config,
                                                     const PluginConfig& plugin,
                                                     const Fields& fields,
                                                     Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.errors();
    SettingValue settings =
        validate_settings(plugin.settings, fields, settings_path(plugin), diagnostics);
    check_instances(config, plugin, settings, diagnostics);
    check_secrets(plugin, settings, diagnostics);
    if (diagnostics.errors() > before) return std::nullopt;
    return settings;
}

void check_kinds(const Config& config, const InstanceSettings& settings, const KindOf& kind_of,
                 Diagnostics& diagnostics) {
    std::vector<Reference> names = pipeline_names(config);
    for (const auto& [id, tree] : settings) {
        collect(tree, SettingType::instance, join_path("plugin", id.value()) + ".settings", names);
    }
    std::set<std::string> used;
    for (const Reference& name : names) {
        check_instance_kind(config, name, kind_of, diagnostics);
        used.insert(name.value->text);
    }
    for (const PluginConfig& plugin : config.plugins) {
        // Without a file there is no instance to use.
        const bool is_there = plugin.declared && !plugin.file.empty();
        if (!is_there || used.contains(plugin.id.value())) continue;
        diagnostics.warning(plugin.place,
                            join_path("plugin", plugin.id.value()) +
                                ": unused instance; name it in [pipeline] or remove this table");
    }
}

namespace {

/// The place of the value at `keys`, or of the nearest table above it that is present.
Place setting_place(const SettingValue& tree, std::initializer_list<std::string_view> keys) {
    const SettingValue* at = &tree;
    for (const std::string_view key : keys) {
        if (const SettingValue* member = at->find(key)) at = member;
    }
    return at->place;
}

bool is_listen_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view port = text.substr(colon + 1);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size() || number > 65535) return false;
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    boost::system::error_code none;
    boost::asio::ip::make_address(host, none);
    return host.empty() || !none;
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
           });
}

void check_daemon(const Config& config, Diagnostics& out) {
    const LeaderElection& election = config.cluster.leader_election;
    // As kubernetes/client/writes/lease demands: 1.2 is the factor of its jitter.
    if (election.renew_deadline >= election.lease_duration ||
        election.retry_period <= Duration::zero() ||
        election.retry_period >= election.renew_deadline * 10 / 12) {
        out.error(setting_place(config.tree, {"cluster", "leader_election"}),
                  "cluster.leader_election: 1.2 times retry_period must be shorter than "
                  "renew_deadline, renew_deadline shorter than lease_duration, and retry_period "
                  "longer than 0s");
    }
    if (config.cluster.scan_interval < std::chrono::milliseconds(100)) {
        out.error(setting_place(config.tree, {"cluster", "scan_interval"}),
                  "cluster.scan_interval: must be at least \"100ms\"");
    }
    if (!config.admin.listen.empty() && !is_listen_address(config.admin.listen)) {
        out.error(setting_place(config.tree, {"admin", "listen"}),
                  "admin.listen: expected HOST:PORT with an IP address, found \"" +
                      shortened(config.admin.listen, 60) + "\"");
    }
    if (config.admin.tls_certificate_file.empty() != config.admin.tls_key_file.empty()) {
        out.error(setting_place(config.tree, {"admin"}),
                  "admin: tls_certificate_file and tls_key_file must be set together");
    }
    const SettingValue* trust = config.tree.find("trust");
    const SettingValue* paths = trust == nullptr ? nullptr : trust->find("search_paths");
    for (std::size_t i = 0; paths != nullptr && i < paths->children.size(); ++i) {
        if (paths->children[i].text.starts_with('/')) continue;
        out.error(paths->children[i].place,
                  "trust.search_paths[" + std::to_string(i) + "]: not an absolute path");
    }
}

void check_cluster(const Config& config, Diagnostics& out) {
    const Cluster& cluster = config.cluster;
    if (!cluster.context.empty() && cluster.kubeconfig == "in-cluster") {
        out.error(setting_place(config.tree, {"cluster", "context"}),
                  "cluster.context: a service account has no contexts; set cluster.kubeconfig "
                  "to a file");
    }
    // The message does not quote the URL, which may hold a password.
    if (!cluster.server.empty() && !io::parse_url(cluster.server)) {
        const Place place = setting_place(config.tree, {"cluster", "server"});
        out.hide(place);
        out.error(place,
                  "cluster.server: expected a URL such as \"https://api.example:6443\", without "
                  "a user name");
    }
}

void check_bounds(const Config& config, std::initializer_list<std::string_view> keys,
                  const Bounds& bounds, Diagnostics& out) {
    if (!bounds.max || bounds.min <= *bounds.max) return;
    std::string path;
    for (const std::string_view key : keys) path = join_path(path, key);
    out.error(
        setting_place(config.tree, keys),
        path + ": min " + to_string(bounds.min) + " is greater than max " + to_string(*bounds.max));
}

Place gpu_type_place(const Config& config, std::string_view type) {
    const SettingValue* at = &config.tree;
    for (const std::string_view key :
         {std::string_view("limits"), std::string_view("gpu_types"), type})
        at = at == nullptr ? nullptr : at->find(key);
    return at == nullptr ? Place() : at->key_place;
}

void check_limits(const Config& config, Diagnostics& out) {
    check_bounds(config, {"limits", "cpu"}, config.limits.cpu, out);
    check_bounds(config, {"limits", "memory"}, config.limits.memory, out);
    check_bounds(config, {"limits", "gpu"}, config.limits.gpu, out);
    check_bounds(config, {"limits", "nodes"}, config.limits.nodes, out);
    for (const auto& [type, bounds] : config.limits.gpu_types) {
        check_bounds(config, {"limits", "gpu_types", type}, bounds, out);
        const bool is_resource = type.find('/') != std::string::npos;
        if (!(is_resource ? check_label_key(type) : check_label_value(type)))
            out.error(gpu_type_place(config, type),
                      join_path("limits.gpu_types", type) +
                          ": neither the name of a resource nor a value of a GPU label");
    }
    if (config.scale_up.initial_node_group_backoff_duration >
        config.scale_up.max_node_group_backoff_duration) {
        out.error(setting_place(config.tree, {"scale_up", "initial_node_group_backoff_duration"}),
                  "scale_up.initial_node_group_backoff_duration: must not be longer "
                  "than max_node_group_backoff_duration");
    }
}

/// An instance that is twice in one of these lists would be called twice. The expander chain may
/// have an instance twice.
void check_repetitions(const Config& config, std::initializer_list<std::string_view> keys,
                       Diagnostics& out) {
    const SettingValue* list = &config.tree;
    std::string path;
    for (const std::string_view key : keys) {
        path = join_path(path, key);
        list = list == nullptr ? nullptr : list->find(key);
    }
    if (list == nullptr) return;
    for (auto it = list->children.begin(); it != list->children.end(); ++it) {
        const bool again = std::any_of(list->children.begin(), it,
                                       [&](const auto& v) { return v.text == it->text; });
        if (again) out.error(it->place, path + ": duplicate '" + shortened(it->text, 60) + "'");
    }
}

void check_drain_rules(const Config& config, Diagnostics& out) {
    const SettingValue* section = config.tree.find("scale_down");
    const SettingValue* off = section == nullptr ? nullptr : section->find("drain_rules_off");
    const std::vector<std::string> names(drain_rule_names.begin(), drain_rule_names.end());
    for (std::size_t i = 0; off != nullptr && i < off->children.size(); ++i) {
        const SettingValue& name = off->children[i];
        if (std::ranges::find(drain_rule_names, name.text) != drain_rule_names.end()) continue;
        out.error(name.place, "scale_down.drain_rules_off: no drain rule named '" +
                                  shortened(name.text, 60) + "'" + suggestion(name.text, names));
    }
}

/// The same checks as kube-scheduler's for its defaultConstraints.
void check_default_spread(const Config& config, Diagnostics& out) {
    const std::vector<DefaultSpread>& all = config.scale_up.default_spread;
    const SettingValue* section = config.tree.find("scale_up");
    const SettingValue* list = section == nullptr ? nullptr : section->find("default_spread");
    for (std::size_t i = 0; list != nullptr && i < all.size(); ++i) {
        const std::string& key = all[i].topology_key;
        const SettingValue& table = list->children[i];
        const SettingValue* written = table.find("topology_key");
        const Place place = written == nullptr || written->defaulted ? table.place : written->place;
        const std::string path = "scale_up.default_spread[" + std::to_string(i) + "]";
        if (!is_label_key(key)) {
            out.error(place, path + ".topology_key: expected a node label key, found \"" +
                                 shortened(key, 60) + "\"");
        } else if (std::ranges::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                                      key, &DefaultSpread::topology_key) > 0) {
            out.error(place, path + ".topology_key: duplicate '" + shortened(key, 60) + "'");
        }
    }
}

/// Names of instances are used in metrics, logs and file names.
bool is_instance_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
        return is_ascii_alnum(c) || c == '_' || c == '-';
    });
}

/// Reports each text of one list of grants that `check` refuses.
void check_grants(const Config& config, const PluginConfig& plugin, std::string_view list,
                  const std::function<Result<void>(std::string_view)>& check, Diagnostics& out) {
    const SettingValue* value = &config.tree;
    for (const std::string_view key :
         {std::string_view("plugin"), std::string_view(plugin.id.value()),
          std::string_view("grants"), list}) {
        value = value->find(key);
        if (value == nullptr) return;
    }
    for (const SettingValue& text : value->children) {
        const Result<void> grant = check(text.text);
        if (grant) continue;
        out.error(text.place, join_path("plugin", plugin.id.value()) + ".grants." +
                                  std::string(list) + ": '" + shortened(text.text, 60) +
                                  "': " + grant.error().message);
    }
}

/// A missing file is only a warning: it may be mounted later, and a record may be replayed
/// elsewhere.
void check_tls(const Config& config, const PluginConfig& plugin, Diagnostics& out) {
    if (!plugin.tls.is_set()) return;
    const Result<io::TlsOptions> read = read_plugin_tls(plugin.tls);
    if (read) return;
    const Place place =
        setting_place(config.tree, {"plugin", plugin.id.value(), "tls", read.error().subject});
    const std::string message =
        join_path("plugin", plugin.id.value()) + ".tls." + read.error().message;
    if (read.error().code == ErrorCode::not_found) {
        out.warning(place, message);
    } else {
        out.error(place, message);
    }
}

Result<void> check_kube_grant(std::string_view text) {
    CAPSTAN_CHECK(parse_kube_grant(text));
    return {};
}

void check_plugins(const Config& config, Diagnostics& out) {
    for (const PluginConfig& plugin : config.plugins) {
        const std::string path = join_path("plugin", plugin.id.value());
        if (!is_instance_name(plugin.id.value())) {
            out.error(plugin.place,
                      shortened(path, 80) +
                          ": a name has at most 63 characters: letters, digits, '_' and '-'");
        }
        if (plugin.sha256 && !is_sha256(*plugin.sha256)) {
            out.error(setting_place(config.tree, {"plugin", plugin.id.value(), "sha256"}),
                      path + ".sha256: expected 64 lower-case hexadecimal digits");
        }
        if (!plugin.grants.secrets.empty() && config.secrets.dir.empty()) {
            out.warning(
                setting_place(config.tree, {"plugin", plugin.id.value(), "grants", "secrets"}),
                path + ".grants.secrets: no secret can be found; set secrets.dir");
        }
        check_grants(config, plugin, "kube", check_kube_grant, out);
        check_grants(config, plugin, "metrics", check_whole_metric_name, out);
        check_tls(config, plugin, out);
    }
}

void check_log(const Config& config, Diagnostics& out) {
    const SettingValue* log = config.tree.find("log");
    const SettingValue* levels = log == nullptr ? nullptr : log->find("per_plugin");
    for (std::size_t i = 0; levels != nullptr && i < levels->children.size(); ++i) {
        const SettingValue& level = levels->children[i];
        if (config.find_plugin(level.key) != nullptr) continue;
        out.error(level.key_place,
                  "log.per_plugin: no plugin instance named '" + shortened(level.key, 60) + "'");
    }
}

/// A key that is accepted so that a configuration made from upstream's flags is valid. A value
/// other than its default gets a warning that the key has no effect.
struct KeyWithoutEffect {
    const char *section, *key;
    bool is_default;
    const char* because;
};

void warn_without_effect(const Config& config, Diagnostics& out) {
    const ScaleUp up{};
    const ScaleDown down{};
    const KeyWithoutEffect keys[] = {
        {"scale_up", "max_nodegroup_binpacking_duration",
         config.scale_up.max_nodegroup_binpacking_duration == up.max_nodegroup_binpacking_duration,
         "decisions do not depend on the clock"},
        {"scale_down", "simulation_timeout",
         config.scale_down.simulation_timeout == down.simulation_timeout,
         "decisions do not depend on the clock"},
        {"scale_down", "unremovable_node_recheck_timeout",
         config.scale_down.unremovable_node_recheck_timeout ==
             down.unremovable_node_recheck_timeout,
         "every node is checked in every pass"},
        {"scale_down", "max_bulk_soft_taint_time",
         config.scale_down.max_bulk_soft_taint_time == down.max_bulk_soft_taint_time,
         "only scale_down.max_bulk_soft_taint_count limits soft taints"},
    };
    for (const KeyWithoutEffect& each : keys) {
        if (each.is_default) continue;
        const SettingValue* const section = config.tree.find(each.section);
        const SettingValue* const value = section == nullptr ? nullptr : section->find(each.key);
        if (value == nullptr) continue;
        out.warning(value->key_place,
                    std::string(each.section) + "." + each.key + " has no effect: " + each.because);
    }
}

}  // namespace

void check_sections(const Config& config, Diagnostics& diagnostics) {
    check_daemon(config, diagnostics);
    check_cluster(config, diagnostics);
    check_limits(config, diagnostics);
    check_repetitions(config, {"pipeline", "clouds"}, diagnostics);
    check_repetitions(config, {"pipeline", "controllers"}, diagnostics);
    check_repetitions(config, {"pipeline", "scale_up", "similarity"}, diagnostics);
    check_repetitions(config, {"pipeline", "scale_up", "group_sources"}, diagnostics);
    check_drain_rules(config, diagnostics);
    check_default_spread(config, diagnostics);
    check_plugins(config, diagnostics);
    check_log(config, diagnostics);
    warn_without_effect(config, diagnostics);
}

}  // namespace capstan::config
