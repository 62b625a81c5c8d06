#include "kubernetes/client/access/kubeconfig.hpp"

#include "kubernetes/client/access/kubeconfig_decode.hpp"
#include "kubernetes/client/access/kubeconfig_files.hpp"

namespace capstan::kubernetes {
namespace {

/// 'it has "a", "b"'
std::string choices(const std::vector<std::string>& names) {
    if (names.empty()) return "it has none";
    std::string out;
    for (const std::string& name : names) {
        if (out.size() > 500) return out + ", ...";
        out += (out.empty() ? "it has " : ", ") + name_in_quotes(name);
    }
    return out;
}

/// The chosen context and what it refers to; what is wrong, or missing, is in `problem`.
class Reader {
public:
    Reader(const KubeconfigFiles& files, std::optional<Error>& problem)
        : files_(files), problem_(problem) {}

    Kubeconfig read(const std::string& wanted) {
        Kubeconfig out;
        out.context = wanted.empty() ? files_.current_context(problem_) : wanted;
        if (out.context.empty())
            miss("names no current context; " + choices(files_.names(kubeconfig_contexts)));
        const auto context = find(kubeconfig_contexts, out.context);
        if (!context) return out;
        const std::string cluster_name = context->text("cluster");
        if (cluster_name.empty()) context->complain("cluster", "is missing");
        if (const auto cluster = find(kubeconfig_clusters, cluster_name))
            out.cluster = decode_cluster(*cluster);
        if (const std::string name = context->text("user"); !name.empty()) {
            if (const auto user = find(kubeconfig_users, name)) out.user = decode_user(*user);
        }
        if (std::string ns = context->text("namespace"); !ns.empty())
            out.kube_namespace = std::move(ns);
        return out;
    }

private:
    std::optional<KubeconfigEntry> find(const KubeconfigList& list, const std::string& name) {
        if (problem_) return std::nullopt;
        auto out = files_.find(list, name, problem_);
        if (!out) {
            miss("has no " + std::string(list.member) + ' ' + name_in_quotes(name) + "; " +
                 choices(files_.names(list)));
        }
        return out;
    }
    void miss(const std::string& why) {
        if (!problem_)
            problem_ = Error{ErrorCode::invalid_config, files_.text() + ": kubeconfig " + why};
    }

    const KubeconfigFiles& files_;
    std::optional<Error>& problem_;
};

}  // namespace

Result<Kubeconfig> read_kubeconfig(const KubeconfigChoice& choice, const Environment& environment) {
    CAPSTAN_TRY(const KubeconfigFiles files, KubeconfigFiles::read(choice.file, environment));
    std::optional<Error> problem;
    Kubeconfig out = Reader(files, problem).read(choice.context);
    if (problem) return fail(std::move(*problem));
    out.files = files.paths();
    return out;
}

}  // namespace capstan::kubernetes
