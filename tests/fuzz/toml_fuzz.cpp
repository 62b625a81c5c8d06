#include <string>

#include "fuzzing.hpp"
#include "runtime/config/configuration.hpp"
#include "runtime/config/print.hpp"
#include "runtime/config/text.hpp"

namespace {

/// A valid configuration is printed as a valid configuration. Printed again, its text is the same.
void check_printed(const capstan::runtime::config::Config& config,
                   const capstan::runtime::config::ShippedPlugins& shipped) {
    using namespace capstan;
    const auto nothing_loaded = [](const PluginInstanceId&) {
        return static_cast<const runtime::config::PluginSettings*>(nullptr);
    };
    const std::string printed =
        runtime::config::print_config(config, runtime::config::PrintDefaults::no, nothing_loaded);
    const runtime::config::Loaded again =
        runtime::config::load_config(runtime::config::Source{"printed", printed}, shipped);
    fuzz::require(again.config && again.diagnostics.errors() == 0,
                  "a printed configuration is valid");
    fuzz::require(runtime::config::print_config(*again.config, runtime::config::PrintDefaults::no,
                                                nothing_loaded) == printed,
                  "a configuration is printed the same each time");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    static const runtime::config::ShippedPlugins shipped("/nonexistent");
    const std::string text(fuzz::text_of(data, size));
    if (const auto value = runtime::config::parse_toml_value(text))
        fuzz::require(
            runtime::config::parse_toml_value(runtime::config::to_toml(*value)).has_value(),
            "a value's text can be read");
    const runtime::config::Loaded loaded =
        runtime::config::load_config(runtime::config::Source{"input", text}, shipped);
    (void)loaded.diagnostics.text();
    fuzz::require(loaded.config || loaded.diagnostics.errors() > 0, "a refusal has a reason");
    if (loaded.config && loaded.diagnostics.errors() == 0) check_printed(*loaded.config, shipped);
    return 0;
}
