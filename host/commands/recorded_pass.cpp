#include "commands/recorded_pass.hpp"

#include <utility>

#include <boost/json/object.hpp>

#include "autoscaler/engine_settings.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "io/gzip.hpp"

namespace capstan::commands {
namespace {

/// Enough for a cluster of 15000 nodes.
constexpr std::size_t record_bytes_max = std::size_t{1} << 30;

/// For a file that is not a recorded pass: says that the file is a dump and how to use it. Empty:
/// the file is not a dump either.
std::string other_use_of(std::string_view text) {
    const auto document = autoscaler::record::parse_json(text, "");
    const boost::json::object* const object = document ? document->if_object() : nullptr;
    const bool is_dump = object != nullptr && !object->contains("version") &&
                         (object->contains("items") || object->contains("apiVersion") ||
                          object->contains("NodeList"));
    return is_dump ? "is a cluster dump, not a recorded pass: use `capstan explain --cluster`, or "
                     "record passes of it with `capstan simulate --record DIR`"
                   : "";
}

Result<autoscaler::record::PassRecord> read_record(const std::string& file) {
    const Result<std::string> text = io::read_text(file, record_bytes_max);
    if (!text) return fail(ErrorCode::invalid_argument, text.error().message);
    auto record = autoscaler::record::parse_pass_record(*text, file);
    const std::string other_use = record ? "" : other_use_of(*text);
    if (!other_use.empty()) return fail(ErrorCode::invalid_argument, file + ": " + other_use);
    // `invalid_argument`, whatever the reader's error: another host may be able to read the file.
    if (!record) return fail(ErrorCode::invalid_argument, record.error().message);
    return record;
}

config::Loaded load(const autoscaler::record::PassRecord& record, const std::string& config,
                    const config::ShippedPlugins& shipped, const std::vector<std::string>& set) {
    if (!config.empty()) return config::load_config(config, shipped, set);
    return config::load_config(config::Source{"recorded configuration", record.setup.config},
                               shipped, set);
}

Result<std::unique_ptr<autoscaler::PluginHost>> start_host(
    const autoscaler::offline::PreparedSetup& prepared, const engine::CallContext& call_context) {
    auto clock = std::make_shared<io::ManualClock>(call_context.now);
    clock->step_wall(call_context.time().wall - call_context.now);
    return autoscaler::PluginHost::start(prepared.sound_config(), prepared.plugins,
                                         {.seed = call_context.seed,
                                          .version = CAPSTAN_VERSION,
                                          .breadcrumbs = {},
                                          .state = {},
                                          .clock = std::move(clock)});
}

}  // namespace

Result<RecordedPass> open_recorded_pass(const std::string& file, const std::string& config,
                                        const std::vector<std::string>& set, std::ostream& err) {
    CAPSTAN_TRY(autoscaler::record::PassRecord record, read_record(file));
    config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = load(record, config, shipped, set);
    auto prepared = autoscaler::offline::prepare_to_decide(std::move(loaded), std::move(shipped));
    err << prepared->complaints;
    if (!prepared->is_sound)
        return fail(ErrorCode::invalid_config,
                    file + ": the configuration for this pass has errors (listed above)");

    CAPSTAN_TRY(auto host, start_host(*prepared, record.call_context));
    const config::Config& effective_config = prepared->sound_config();
    CAPSTAN_TRY(autoscaler::Wiring wiring, autoscaler::wire(effective_config.pipeline, *host));
    auto input = autoscaler::record::make_pass_input(
        record,
        autoscaler::make_settings(effective_config.scale_up, effective_config.scale_down,
                                  effective_config.limits),
        std::move(wiring));
    if (!input) return fail(within(file, input.error()));
    return RecordedPass{std::move(record), std::move(prepared), std::move(host), *std::move(input)};
}

}  // namespace capstan::commands
