#include "commands/write_dump.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include <capstan/sentence.hpp>

#include "commands/exit_code.hpp"
#include "commands/written_file.hpp"
#include "kubernetes/client/json_object.hpp"
#include "kubernetes/client/watch/mirror_kinds.hpp"
#include "kubernetes/object_stream.hpp"
#include "kubernetes/timestamps.hpp"
#include "runtime/daemon/cluster_link.hpp"
#include "simulation/dump/dump_facts.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using kubernetes::ApiReply;
using kubernetes::ApiRequest;
using kubernetes::ApiResource;

constexpr ApiResource deployments{"apps", "v1", "deployments", "Deployment"};
constexpr const char* page_size = "500";

struct DumpArguments {
    std::string file, kubeconfig, context;
};

/// Keeps the members of the objects that decisions read, and nothing else of them.
class KeptObjects final : public kubernetes::ObjectSink {
public:
    KeptObjects(const ApiResource& resource, json::array& items)
        : resource_(resource), items_(items) {}

    void take(std::string_view, const json::value& object) override {
        if (!object.is_object()) return;
        json::object kept = object.as_object();
        kept["kind"] = resource_.kind;
        kept["apiVersion"] = resource_.group.empty() ? std::string(resource_.version)
                                                     : std::string(resource_.group) + "/" +
                                                           std::string(resource_.version);
        items_.push_back(std::move(kept));
    }
    void take_error(std::string_view) override {}

private:
    const ApiResource& resource_;
    json::array& items_;
};

Result<ApiReply> ask(kubernetes::Api& api, io::Loop& loop, ApiRequest request) {
    std::optional<Result<ApiReply>> reply;
    api.send(std::move(request), [&reply](Result<ApiReply> result) { reply = std::move(result); });
    while (!reply) {
        if (loop.io().run_one() == 0) loop.io().restart();
    }
    return *std::move(reply);
}

/// All objects of the kind, page by page; how many there are.
Result<std::size_t> add_objects(kubernetes::Api& api, io::Loop& loop, const ApiResource& resource,
                                std::string_view field_selector, json::array& items) {
    const std::size_t before = items.size();
    std::string next;
    do {
        ApiRequest request{.path = path_of(resource), .query = {{"limit", page_size}}};
        if (!field_selector.empty())
            request.query.emplace_back("fieldSelector", std::string(field_selector));
        if (!next.empty()) request.query.emplace_back("continue", next);
        CAPSTAN_TRY(const ApiReply reply, ask(api, loop, std::move(request)));
        CAPSTAN_TRY(const json::object page, kubernetes::parse_object(reply));
        next = kubernetes::text_at(page, {"metadata", "continue"});
        KeptObjects kept(resource, items);
        kubernetes::ObjectStream stream(kept);
        CAPSTAN_CHECK(stream.write(reply.body));
    } while (!next.empty());
    return items.size() - before;
}

bool is_indispensable(const ApiResource& resource) {
    return resource.kind == "Node" || resource.kind == "Pod";
}

Result<std::string> take_dump(kubernetes::Api& api, io::Loop& loop, std::ostream& told) {
    json::array items;
    json::object outcomes;
    const Time begun = loop.clock()->wall();
    const auto add = [&](const ApiResource& resource,
                         std::string_view field_selector) -> Result<void> {
        const std::size_t before = items.size();
        const Result<std::size_t> added = add_objects(api, loop, resource, field_selector, items);
        // A kind is there as a whole or not at all.
        if (!added) items.erase(items.begin() + static_cast<std::ptrdiff_t>(before), items.end());
        if (!added && is_indispensable(resource)) return fail(added.error());
        outcomes[resource.kind] =
            added ? std::string(simulation::asked_for) : "not taken: " + added.error().message;
        told << resource.plural << ": "
             << (added ? counted(*added, "object") : "not taken: " + added.error().message) << '\n';
        return {};
    };
    for (const kubernetes::MirrorKind& kind : kubernetes::mirror_kinds())
        CAPSTAN_CHECK(add(kind.resource, kind.field_selector));
    CAPSTAN_CHECK(add(deployments, {}));
    json::object header{
        {"kind", simulation::dump_header_kind},
        {"apiVersion", "capstan/v1"},
        {"metadata",
         {{"name", "dump"},
          {"creationTimestamp", kubernetes::find_timestamp_text(begun).value_or("")},
          {"annotations", std::move(outcomes)}}}};
    items.insert(items.begin(), std::move(header));
    return json::serialize(
               json::object{{"kind", "List"}, {"apiVersion", "v1"}, {"items", std::move(items)}}) +
           "\n";
}

Result<std::string> dump_cluster(const DumpArguments& arguments, std::ostream& told) {
    boost::asio::io_context io;
    const auto work = boost::asio::make_work_guard(io);
    io::Loop loop(io);
    runtime::Cluster cluster;
    cluster.kubeconfig = arguments.kubeconfig;
    cluster.context = arguments.context;
    runtime::Log config;
    config.level = runtime::LogLevel::warn;
    runtime::Logger log(config, loop.clock());
    CAPSTAN_TRY(const auto link,
                runtime::ClusterLink::open(cluster, loop, log,
                                           {.version = CAPSTAN_VERSION, .dry_run = true}));
    return take_dump(link->api(), loop, told);
}

int run_dump(const DumpArguments& arguments, Streams streams) {
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
    CLI::App& command = *parent.add_subcommand(
        "dump", "Write what decisions need of a cluster into a file, for simulate and explain");
    auto arguments = std::make_shared<DumpArguments>();
    command.add_option("file", arguments->file, "The file; - for standard output")
        ->required()
        ->type_name("FILE.json");
    command
        .add_option("--kubeconfig", arguments->kubeconfig,
                    "The file that names the cluster; by default as kubectl finds it")
        ->type_name("FILE");
    command.add_option("--context", arguments->context, "The context of that file");
    command.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_dump(*arguments, streams); };
    });
}

}  // namespace capstan::commands
