#include <string>

#include "fuzzing.hpp"
#include "runtime/config/config.hpp"
#include "runtime/config/print.hpp"
#include "runtime/config/text.hpp"

namespace {

/// A configuration that was taken is printed as one that is taken and means the same.
void check_printed(const capstan::runtime::Config& config,
                   const capstan::runtime::ShippedPlugins& shipped) {
    using namespace capstan;
    const auto nothing_loaded = [](const PluginInstanceId&) {
        return static_cast<const runtime::PluginSettings*>(nullptr);
    };
    const std::string printed =
        runtime::print_config(config, runtime::PrintDefaults::no, nothing_loaded);
    const runtime::Loaded again =
        runtime::load_config(runtime::Source{"printed", printed}, shipped);
    fuzz::require(again.config && again.diagnostics.errors() == 0,
                  "a printed configuration is one that is taken");
    fuzz::require(
        runtime::print_config(*again.config, runtime::PrintDefaults::no, nothing_loaded) == printed,
        "a configuration is printed the same each time");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    static const runtime::ShippedPlugins shipped("/nonexistent");
    const std::string text(fuzz::text_of(data, size));
    if (const auto value = runtime::parse_toml_value(text))
        fuzz::require(runtime::parse_toml_value(runtime::to_toml(*value)).has_value(),
                      "a value's text can be read");
    const runtime::Loaded loaded = runtime::load_config(runtime::Source{"input", text}, shipped);
    (void)loaded.diagnostics.text();
    fuzz::require(loaded.config || loaded.diagnostics.errors() > 0,
                  "what is refused is refused with a reason");
    if (loaded.config && loaded.diagnostics.errors() == 0) check_printed(*loaded.config, shipped);
    return 0;
}
