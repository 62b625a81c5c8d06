#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/dump/anonymous.hpp"
#include "autoscaler/dump/dump_facts.hpp"
#include "commands/chosen_cluster.hpp"
#include "commands/file_io.hpp"
#include "commands/options.hpp"
#include "engine/snapshot/kept_annotations.hpp"
#include "io/gzip.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/cache/object_cache.hpp"
#include "kubernetes/object_stream.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using kubernetes::client::ApiReply;
using kubernetes::client::ApiRequest;
using kubernetes::client::ApiResource;

constexpr ApiResource deployments{"apps", "v1", "deployments", "Deployment"};
constexpr ApiResource balancers{"balancer.x-k8s.io", "v1alpha1", "balancers", "Balancer"};
/// The status of an autoscaler, and the priorities of its expander. No other ConfigMap is read.
constexpr std::array<std::string_view, 2> config_map_names{"cluster-autoscaler-status",
                                                           "cluster-autoscaler-priority-expander"};
constexpr std::string_view name_field = "metadata.name=";
constexpr const char* page_size = "500";

struct DumpArguments {
    std::string file;
    ClusterChoice cluster{};
    bool is_anonymous = false;
    bool is_packed = false;  ///< even if the file's name does not end in .gz
};

/// Whether decisions read the annotation, or can be configured to: a duration may belong to a
/// configurable key. The others are dropped; among them kubectl's last-applied-configuration, which
/// may hold a whole manifest.
bool is_kept(std::string_view key, const json::value& value) {
    if (engine::snapshot::is_kept_annotation(key) || key.starts_with("volume.")) return true;
    const json::string* text = value.if_string();
    return text != nullptr && parse_duration(*text).has_value();
}

void drop_unread_annotations(json::value& object) {
    for (const char* place : {"/metadata/annotations", "/spec/template/metadata/annotations"}) {
        boost::system::error_code absent;
        json::value* found = object.find_pointer(place, absent);
        if (found == nullptr || !found->is_object()) continue;
        json::object kept;
        for (const auto& annotation : found->get_object())
            if (is_kept(annotation.key(), annotation.value())) kept.insert(annotation);
        *found = std::move(kept);
    }
}

/// Only the messages of controllers' conditions are read.
void drop_unread_messages(json::value& object) {
    boost::system::error_code absent;
    json::value* conditions = object.find_pointer("/status/conditions", absent);
    if (conditions == nullptr || !conditions->is_array()) return;
    for (json::value& condition : conditions->get_array())
        if (condition.is_object()) condition.get_object().erase("message");
}

/// Collects objects with only the members that decisions read.
class KeptObjects final : public kubernetes::ObjectSink {
public:
    KeptObjects(const ApiResource& resource, json::array& items)
        : resource_(resource), items_(items) {}

    void take(std::string_view, const json::value& object) override {
        if (!object.is_object()) return;
        json::object kept = object.as_object();
        kept["kind"] = resource_.kind;
        kept["apiVersion"] = kubernetes::client::api_version_of(resource_);
        json::value& item = items_.emplace_back(std::move(kept));
        drop_unread_annotations(item);
        if (resource_.kind == "Pod" || resource_.kind == "Node") drop_unread_messages(item);
    }
    void take_error(std::string_view) override {}

private:
    const ApiResource& resource_;
    json::array& items_;
};

/// Adds all objects of the resource, read page by page; returns their number.
Result<std::size_t> add_objects(kubernetes::client::Api& api, io::Loop& loop,
                                const ApiResource& resource, std::string_view field_selector,
                                json::array& items) {
    const std::size_t before = items.size();
    std::string next;
    do {
        ApiRequest request{.path = path_of(resource), .query = {{"limit", page_size}}};
        if (!field_selector.empty())
            request.query.emplace_back("fieldSelector", std::string(field_selector));
        if (!next.empty()) request.query.emplace_back("continue", next);
        CAPSTAN_TRY(const ApiReply reply, send_and_wait(api, loop, std::move(request)));
        CAPSTAN_TRY(const json::object page, kubernetes::client::parse_object(reply));
        CAPSTAN_CHECK(kubernetes::client::items_of(page, resource));
        next = kubernetes::base::text_at(page, "metadata.continue");
        KeptObjects kept(resource, items);
        kubernetes::ObjectStream stream(kept);
        CAPSTAN_CHECK(stream.write(reply.body));
    } while (!next.empty());
    return items.size() - before;
}

bool is_indispensable(const ApiResource& resource) {
    return resource.kind == "Node" || resource.kind == "Pod";
}

/// "pods", "configmaps cluster-autoscaler-status".
std::string title_of(const ApiResource& resource, std::string_view field_selector) {
    const bool is_one = field_selector.starts_with(name_field);
    return std::string(resource.plural) +
           (is_one ? " " + std::string(field_selector.substr(name_field.size())) : "");
}

/// The dump's header, then the objects. An anonymous dump has no ConfigMaps and Balancers, which
/// are little else than names.
Result<json::array> take_dump(kubernetes::client::Api& api, io::Loop& loop, bool is_anonymous,
                              std::ostream& progress) {
    json::array items;
    json::object outcomes;
    const Time begun = loop.clock()->wall();
    const auto add = [&](const ApiResource& resource,
                         std::string_view field_selector) -> Result<void> {
        const std::size_t before = items.size();
        const Result<std::size_t> added = add_objects(api, loop, resource, field_selector, items);
        const bool is_custom = resource.kind == balancers.kind;
        if (!added && is_custom && added.error().code == ErrorCode::not_found) return {};
        // A kind is dumped completely or not at all.
        if (!added) items.erase(items.begin() + static_cast<std::ptrdiff_t>(before), items.end());
        if (!added && is_indispensable(resource)) return fail(added.error());
        outcomes[resource.kind] = added ? std::string(autoscaler::dump::asked_for)
                                        : "not taken: " + added.error().message;
        progress << title_of(resource, field_selector) << ": "
                 << (added ? counted(*added, "object") : "not taken: " + added.error().message)
                 << '\n';
        return {};
    };
    for (const kubernetes::client::CachedKind& kind : kubernetes::client::cached_kinds())
        CAPSTAN_CHECK(add(kind.resource, kind.field_selector));
    CAPSTAN_CHECK(add(deployments, {}));
    if (!is_anonymous) {
        for (const std::string_view name : config_map_names)
            CAPSTAN_CHECK(add(kubernetes::client::resources::config_maps,
                              std::string(name_field) + std::string(name)));
        CAPSTAN_CHECK(add(balancers, {}));
    }
    json::object header{
        {"kind", autoscaler::dump::dump_header_kind},
        {"apiVersion", "capstan/v1"},
        {"metadata",
         {{"name", "dump"},
          {"creationTimestamp", kubernetes::find_timestamp_text(begun).value_or("")},
          {"annotations", std::move(outcomes)}}}};
    items.insert(items.begin(), std::move(header));
    return items;
}

Result<std::string> dump_cluster(const DumpArguments& arguments, std::ostream& progress) {
    CAPSTAN_TRY(const auto cluster,
                ChosenCluster::open(arguments.cluster, ChosenCluster::Access::read_only));
    CAPSTAN_TRY(json::array items,
                take_dump(cluster->api(), cluster->loop(), arguments.is_anonymous, progress));
    if (arguments.is_anonymous) autoscaler::dump::make_anonymous(items);
    std::string text = json::serialize(json::object{
                           {"kind", "List"}, {"apiVersion", "v1"}, {"items", std::move(items)}}) +
                       "\n";
    const bool is_packed = arguments.is_packed || arguments.file.ends_with(".gz");
    return is_packed ? io::gzip(text) : std::move(text);
}

int run_dump(const DumpArguments& arguments, Streams streams) {
    // A reader of the progress that ends early is no reason to write no file.
    if (arguments.file != "-") std::signal(SIGPIPE, SIG_IGN);
    const Result<std::string> dump = dump_cluster(arguments, streams.err);
    if (!dump) {
        return refuse(streams, dump.error().message,
                      dump.error().code == ErrorCode::invalid_config ? exit_usage : exit_failed);
    }
    if (arguments.file == "-") {
        streams.out << *dump;
        return exit_ok;
    }
    if (const auto written = write_file(arguments.file, *dump); !written)
        return refuse(streams, written.error().message, exit_failed);
    return exit_ok;
}

}  // namespace

void add_dump(CLI::App& parent, Action& action) {
    const auto [command, arguments] = add_command(
        parent, action, "dump",
        "Save the cluster state that decisions depend on to a file, for simulate and explain",
        run_dump);
    command.footer(
        "The file contains only what decisions read: no environment variables, arguments,\n"
        "commands or images of containers, no Secrets, of ConfigMaps only the status and the\n"
        "priorities of an autoscaler, and only the annotations that autoscalers, volumes and\n"
        "static pods use, or whose value is a duration. Names and labels are included unless\n"
        "--anonymous is given, which also leaves out ConfigMaps and Balancers.");
    add_option(command, "file", arguments.file, "FILE.json[.gz]",
               "Output file, gzipped if its name ends in .gz; -: standard output")
        ->required();
    command.add_flag("--gzip", arguments.is_packed,
                     "Compress with gzip regardless of the file name");
    command.add_flag("--anonymous", arguments.is_anonymous,
                     "Replace names, labels, taints and ids by aliases; equal texts get equal "
                     "aliases, so decisions stay the same");
    add_cluster_choice(command, arguments.cluster, ClusterDefault::environment);
}

}  // namespace capstan::commands
