/// Parses the metadata item `kube-env` of an instance template: a YAML map of strings. Its member
/// AUTOSCALER_ENV_VARS is intended for autoscalers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::gce {

/// "a=1,b=2" in its order; each part is split at its first '='.
using PairList = std::vector<std::pair<std::string, std::string>>;
/// `invalid_argument`: a part has no '='.
Result<PairList> parse_pairs(std::string_view text);

/// The positions of an argument "--NAME=VALUE" in kubelet's arguments.
struct ArgumentRange {
    std::size_t begin = 0;  ///< of the first dash
    std::size_t value = 0;  ///< of the first character after '='
    std::size_t end = 0;    ///< of the blank after the value, or the size of the text
};
/// The first argument of that name at or after `from`; absent if there is none.
std::optional<ArgumentRange> find_argument(std::string_view arguments, std::string_view name,
                                           std::size_t from = 0);

class KubeEnv {
public:
    /// Scalars are kept as they are written; a key without a value has the empty value. Lists and
    /// maps are left out. The last value of a repeated key counts, as in upstream's parser.
    /// `invalid_argument` with line and column: the YAML is not a map, has an alias, is nested more
    /// than 32 deep, is no UTF-8, or is larger than 1 MiB.
    static Result<KubeEnv> parse(const std::string& yaml);

    /// Absent if kube-env has no such variable.
    std::optional<std::string> find(std::string_view name) const;
    /// "110" of "--v=2 --max-pods=110" in KUBELET_ARGS or KUBELET_TEST_ARGS. Absent if neither has
    /// the argument.
    std::optional<std::string> find_kubelet_argument(std::string_view name) const;
    /// A variable in AUTOSCALER_ENV_VARS: "node_labels=a=b,c=d;os=linux". Blanks and quotes around
    /// a value are dropped. `invalid_argument`: an earlier part has no '='.
    Result<std::optional<std::string>> find_autoscaler_variable(std::string_view name) const;
    const std::map<std::string, std::string, std::less<>>& variables() const noexcept {
        return variables_;
    }

private:
    std::map<std::string, std::string, std::less<>> variables_{};
};

}  // namespace capstan::gce
