#include "pipeline_text.hpp"

#include <sstream>

namespace capstan::clouds {
namespace {

std::string quoted_names(const std::vector<Part>& parts) {
    std::string out;
    for (const Part& part : parts) out += (out.empty() ? "\"" : ", \"") + part.plugin + "\"";
    return out;
}

std::string table_of(const Part& part) {
    const std::string name = "[plugin." + part.plugin;
    return name + "]\ngrants = { http = [\"127.0.0.1\"], state = true }\n" + name + ".settings]\n" +
           settings_of(part);
}

}  // namespace

std::string settings_of(const Part& part) {
    std::string out = part.settings;
    const std::string& url = part.server->url();
    replace_all(out, "SERVER", url);
    replace_all(out, "AUTHORITY", url.substr(url.find("//") + 2));
    return out;
}

std::string pipeline_text(const std::vector<Part>& parts, const ScenarioOptions& options) {
    std::ostringstream out;
    out << "[pipeline]\nclouds = [" << quoted_names(parts)
        << "]\n[pipeline.scale_up]\nexpanders = " << options.expanders
        << "\nsimilarity = [\"resources\", \"labels\"]\n"
        << options.scale_up << "[plugin.labels]\nsettings = { preset = \"" << parts.front().plugin
        << "\" }\n";
    for (const Part& part : parts) out << table_of(part);
    return std::move(out).str();
}

std::unique_ptr<e2e::Process> start_joiner(const Part& part,
                                           const std::filesystem::path& kubeconfig,
                                           const std::filesystem::path& log) {
    return std::make_unique<e2e::Process>(
        std::vector<std::string>{python, "tests/clouds/joiner", kubeconfig.string(),
                                 part.server->own_url(), part.prefix},
        e2e::Process::Variables{}, log);
}

}  // namespace capstan::clouds
