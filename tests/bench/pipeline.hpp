/// The shipped plugins, wired as a configuration says, for a benchmark to ask.
#pragma once

#include <memory>
#include <string>

#include "runtime/plugin_host.hpp"
#include "runtime/wiring.hpp"

namespace capstan::bench {

/// Loaded once; each measurement makes policies of its own, as a pass does.
class BenchPipeline {
public:
    /// Throws std::runtime_error with what is wrong.
    explicit BenchPipeline(const std::string& toml);
    BenchPipeline(const BenchPipeline&) = delete;
    BenchPipeline& operator=(const BenchPipeline&) = delete;

    /// For one measurement. Throws as well.
    runtime::PassPolicies policies(runtime::instances::PassWatch& watch) const;

private:
    runtime::plugin_files::LibraryRegistry registry_;
    runtime::PluginSet plugins_;
    std::unique_ptr<runtime::PluginHost> host_;
    runtime::Wiring wiring_;
};

}  // namespace capstan::bench
