#include "commands/explain_subject.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/sentence.hpp>

#include "runtime/config/text.hpp"
#include "runtime/daemon/admin_routes.hpp"

namespace capstan::commands {
namespace {

struct KindWords {
    std::string_view kind;
    std::array<std::string_view, 3> also;  ///< that kubectl takes for it
};

constexpr KindWords kind_words[] = {
    {"pod", {"pods", "po"}},
    {"group", {"groups", "nodegroup"}},
    {"node", {"nodes", "no"}},
    {"matrix", {}},
    {"deployment", {"deployments", "deploy", "deployment.apps"}},
    {"statefulset", {"statefulsets", "sts", "statefulset.apps"}},
    {"replicaset", {"replicasets", "rs", "replicaset.apps"}},
    {"job", {"jobs", "job.batch"}},
};

/// Empty: no kind is called so.
std::string_view kind_of(std::string_view word) {
    for (const KindWords& each : kind_words)
        if (word == each.kind || (!word.empty() && std::ranges::count(each.also, word) > 0))
            return each.kind;
    return {};
}

Error unknown_kind(const std::string& word) {
    const std::vector<std::string> known = explained_kinds();
    const std::string meant = runtime::suggestion(word, known);
    return {ErrorCode::invalid_argument,
            "there is no kind '" + runtime::shortened(word, 60) + "'" +
                (meant.empty() ? "; there are " + runtime::joined_names(known) : meant)};
}

struct NamespacedName {
    std::string ns, name;
};

Result<NamespacedName> parse_name(const std::string& text, const std::string& ns) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return NamespacedName{ns.empty() ? "default" : ns, text};
    NamespacedName out{text.substr(0, slash), text.substr(slash + 1)};
    if (!ns.empty() && ns != out.ns)
        return fail(ErrorCode::invalid_argument,
                    "'" + text + "' is not in the namespace of --namespace, " + ns);
    if (out.ns.empty() || out.name.empty())
        return fail(ErrorCode::invalid_argument, "'" + text + "' is not NAMESPACE/NAME");
    return out;
}

}  // namespace

std::vector<std::string> explained_kinds() {
    std::vector<std::string> out;
    for (const KindWords& each : kind_words) out.emplace_back(each.kind);
    return out;
}

Result<simulation::Question> parse_question(const std::string& kind, const std::string& name,
                                            const std::string& ns) {
    std::string word = kind, subject = name;
    const std::size_t slash = kind.find('/');
    if (slash != std::string::npos && name.empty()) {
        word = kind.substr(0, slash);
        subject = kind.substr(slash + 1);
    }
    const std::string_view known = kind_of(word);
    if (known.empty()) return fail(unknown_kind(word));
    if (known == "matrix") {
        if (subject.empty()) return simulation::Question{};
        return fail(ErrorCode::invalid_argument,
                    "'" + subject + "' was not expected: a matrix is of all pods and groups");
    }
    if (subject.empty())
        return fail(ErrorCode::invalid_argument,
                    "which " + std::string(known) + "? Its name is missing");
    if (known == "group") return simulation::Question{.group = NodeGroupId(subject)};
    if (known == "node") return simulation::Question{.node = subject};
    CAPSTAN_TRY(const NamespacedName full, parse_name(subject, ns));
    if (known == "pod") return simulation::Question{.pod_ns = full.ns, .pod_name = full.name};
    return simulation::Question{.pod_ns = full.ns,
                                .workload_kind = std::string(runtime::workload_kind(known)),
                                .workload_name = full.name};
}

}  // namespace capstan::commands
