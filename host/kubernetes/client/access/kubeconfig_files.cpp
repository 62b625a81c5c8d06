#include "kubernetes/client/access/kubeconfig_files.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "io/printable.hpp"

namespace capstan::kubernetes::client {
namespace {

/// False also where the file's status cannot be read: the reading then reports why.
bool is_missing(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found;
}

Unexpected no_kubeconfig(const std::string& why) {
    return fail(ErrorCode::invalid_config,
                "no kubeconfig: " + why + "; set KUBECONFIG or use --kubeconfig FILE");
}

}  // namespace

Result<KubeconfigFiles> KubeconfigFiles::read(const std::filesystem::path& file,
                                              const Environment& environment) {
    KubeconfigFiles out;
    if (!file.empty()) {
        CAPSTAN_CHECK(out.add(file));
        return out;
    }
    if (const std::string list = environment.get("KUBECONFIG"); !list.empty()) {
        CAPSTAN_CHECK(out.add_listed(list));
        if (out.files_.empty())
            return no_kubeconfig("KUBECONFIG lists " + io::printable(list, 512) +
                                 "; none of them exists");
        return out;
    }
    const std::string home = environment.get("HOME");
    if (home.empty()) return no_kubeconfig("neither KUBECONFIG nor HOME is set");
    const std::filesystem::path usual = std::filesystem::path(home) / ".kube" / "config";
    if (is_missing(usual))
        return no_kubeconfig("KUBECONFIG is not set, and " + usual.string() + " does not exist");
    CAPSTAN_CHECK(out.add(usual));
    return out;
}

Result<void> KubeconfigFiles::add_listed(const std::string& list) {
    std::set<std::string> seen;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        const std::string file = list.substr(at, end - at);
        at = end + 1;
        if (file.empty() || !seen.insert(file).second || is_missing(file)) continue;
        CAPSTAN_CHECK(add(file));
    }
    return {};
}

Result<void> KubeconfigFiles::add(const std::filesystem::path& file) {
    auto text = read_small_file(file, max_kubeconfig_bytes);
    if (!text) return fail(within("kubeconfig", std::move(text).error()));
    CAPSTAN_TRY(YamlValue root, parse_yaml(file.string(), *text));
    std::optional<Error> problem;
    const KubeconfigEntry whole(file, {}, root, problem);
    if (whole.has("kind") && whole.text("kind") != "Config")
        whole.complain("kind", "expects Config: this is not a kubeconfig");
    if (whole.has("apiVersion") && whole.text("apiVersion") != "v1")
        whole.complain("apiVersion", "expects v1");
    if (problem) return fail(std::move(*problem));
    files_.push_back({file, std::move(root)});
    return {};
}

std::string KubeconfigFiles::current_context(std::optional<Error>& problem) const {
    for (const File& file : files_) {
        const KubeconfigEntry whole(file.path, {}, file.root, problem);
        if (std::string name = whole.text("current-context"); !name.empty()) return name;
    }
    return {};
}

std::optional<KubeconfigEntry> KubeconfigFiles::find(const KubeconfigList& list,
                                                     std::string_view name,
                                                     std::optional<Error>& problem) const {
    for (const File& file : files_) {
        std::optional<KubeconfigEntry> found;
        const KubeconfigEntry whole(file.path, {}, file.root, problem);
        for (const KubeconfigEntry& entry : whole.each(list.key)) {
            if (entry.text("name") != name) continue;
            const std::string what = std::string(list.member) + ' ' + name_in_quotes(name);
            if (found) entry.named(what).complain("name", "is a duplicate");
            found = entry.below(list.member).named(what);
        }
        if (found || problem) return problem ? std::nullopt : found;
    }
    return std::nullopt;
}

std::vector<std::string> KubeconfigFiles::names(const KubeconfigList& list) const {
    std::set<std::string> out;
    std::optional<Error> ignored;
    for (const File& file : files_) {
        const KubeconfigEntry whole(file.path, {}, file.root, ignored);
        for (const KubeconfigEntry& entry : whole.each(list.key)) out.insert(entry.text("name"));
    }
    return {out.begin(), out.end()};
}

std::vector<std::filesystem::path> KubeconfigFiles::paths() const {
    std::vector<std::filesystem::path> out;
    for (const File& file : files_) out.push_back(file.path);
    return out;
}

std::string KubeconfigFiles::text() const {
    std::string out;
    for (const File& file : files_) out += (out.empty() ? "" : ", ") + file.path.string();
    return out;
}

}  // namespace capstan::kubernetes::client
