#include "runtime/daemon/surroundings.hpp"

#include <filesystem>
#include <set>

#include "kubernetes/client/access/access.hpp"
#include "runtime/daemon/secret_files.hpp"

namespace capstan::runtime {
namespace {

std::set<std::filesystem::path> secret_files_of(const Config& config) {
    std::set<std::filesystem::path> out;
    for (const std::string& file : {config.admin.bearer_token_file, config.admin.tls_key_file})
        if (!file.empty()) out.insert(file);
    const std::filesystem::path folder = config.secrets.dir;
    for (const PluginConfig& plugin : config.plugins) {
        if (!plugin.tls.key_file.empty()) out.insert(plugin.tls.key_file);
        for (const std::string& name : plugin.grants.secrets)
            if (!folder.empty()) out.insert(folder / name);
    }
    const kubernetes::AccessChoice choice{.kubeconfig = config.cluster.kubeconfig,
                                          .context = config.cluster.context};
    for (const std::filesystem::path& file : kubernetes::secret_files_of(choice, {}))
        out.insert(file);
    return out;
}

}  // namespace

std::vector<Remark> remarks_on_surroundings(const Config& config, uid_t user) {
    std::vector<Remark> out;
    if (user == 0)
        out.push_back({"user", "runs as root",
                       "run as a user of its own, for nothing here needs root's rights"});
    for (const std::filesystem::path& file : secret_files_of(config))
        if (const auto exposure = find_exposure(file))
            out.push_back({"secret files", file.string() + ' ' + *exposure,
                           "chmod o-rwx it, and make its secret anew where others may have it"});
    return out;
}

void warn_of_surroundings(const Config& config, Logger& log) {
    for (const Remark& remark : remarks_on_surroundings(config))
        log.write(LogLevel::warn, "capstan", remark.what + ": " + remark.found + "; " + remark.fix);
}

}  // namespace capstan::runtime
