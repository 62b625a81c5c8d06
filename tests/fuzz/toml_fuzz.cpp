#include <string>

#include "config/configuration.hpp"
#include "config/print.hpp"
#include "config/text.hpp"
#include "fuzzing.hpp"

namespace {

/// A valid configuration is printed as a valid configuration. Printed again, its text is the same.
void check_printed(const capstan::config::Config& config,
                   const capstan::config::ShippedPlugins& shipped) {
    using namespace capstan;
    const auto nothing_loaded = [](const PluginInstanceId&) {
        return static_cast<const config::PluginSettings*>(nullptr);
    };
    const std::string printed =
        config::print_config(config, config::PrintDefaults::no, nothing_loaded);
    const config::Loaded again = config::load_config(config::Source{"printed", printed}, shipped);
    fuzz::require(again.config && again.diagnostics.errors() == 0,
                  "a printed configuration is valid");
    fuzz::require(
        config::print_config(*again.config, config::PrintDefaults::no, nothing_loaded) == printed,
        "a configuration is printed the same each time");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    static const config::ShippedPlugins shipped("/nonexistent");
    const std::string text(fuzz::text_of(data, size));
    if (const auto value = config::parse_toml_value(text))
        fuzz::require(config::parse_toml_value(config::to_toml(*value)).has_value(),
                      "a value's text can be read");
    const config::Loaded loaded = config::load_config(config::Source{"input", text}, shipped);
    (void)loaded.diagnostics.text();
    fuzz::require(loaded.config || loaded.diagnostics.errors() > 0, "a refusal has a reason");
    if (loaded.config && loaded.diagnostics.errors() == 0) check_printed(*loaded.config, shipped);
    return 0;
}
