/// A configuration whose plugins run on virtual time, with the shipped plugins of this build tree.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "assembly.hpp"
#include "autoscaler/clouds.hpp"
#include "autoscaler/plugin_host.hpp"

namespace capstan::autoscaler {

class VirtualAssembly {
public:
    /// Throws the diagnostics of an invalid configuration. `http`: see PluginHost::Options.
    explicit VirtualAssembly(const std::string& toml,
                             plugin_runtime::services::HttpClients http = {})
        : http_(std::move(http)),
          assembly_(toml),
          host_(start()),
          clouds_(Clouds::make(config().pipeline, *host_).value()) {}
    PluginHost& host() { return *host_; }
    Clouds& clouds() { return *clouds_; }
    const config::Config& config() const { return assembly_.config(); }
    const PluginSet& plugins() const { return assembly_.plugins(); }
    Duration elapsed() const { return clock_->now() - start_; }

private:
    std::unique_ptr<PluginHost> start() const {
        if (!assembly_.diagnostics().empty())
            throw std::invalid_argument(assembly_.diagnostics().text());
        return PluginHost::start(config(), assembly_.plugins(),
                                 {.seed = 1, .version = "test", .clock = clock_, .http = http_})
            .value();
    }
    const Time start_ = time_from_unix_ns(1'767'225'600'000'000'000);
    const std::shared_ptr<io::ManualClock> clock_ = std::make_shared<io::ManualClock>(start_);
    const plugin_runtime::services::HttpClients http_;
    const Assembly assembly_;
    const std::unique_ptr<PluginHost> host_;
    const std::shared_ptr<Clouds> clouds_;
};

/// The simulated cloud `id` as a table of a configuration; `settings` is TOML.
inline std::string simulated(const std::string& id, const std::string& settings) {
    return "[plugin." + id + "]\nclass = \"simulated\"\nsettings = { " + settings + " }\n";
}

/// A group of the simulated cloud as a TOML inline table.
inline std::string simulated_group(const std::string& id, const std::string& more = {}) {
    return "{ id = \"" + id +
           "\", boot = \"1m\", machine = { cpu = \"4\", memory = "
           "\"16Gi\" }" +
           (more.empty() ? "" : ", " + more) + " }";
}

}  // namespace capstan::autoscaler
