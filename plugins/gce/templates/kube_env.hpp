/// The metadata item `kube-env` of an instance template: a YAML map of texts, of which
/// AUTOSCALER_ENV_VARS is made for autoscalers.
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

/// "a=1,b=2" in its order; each at its first '='.
using PairList = std::vector<std::pair<std::string, std::string>>;
/// `invalid_argument`: a part has no '='.
Result<PairList> parse_pairs(std::string_view text);

/// A part of kubelet's arguments: "--NAME=VALUE".
struct ArgumentRange {
    std::size_t begin = 0;  ///< of the first dash
    std::size_t value = 0;  ///< of the character behind '='
    std::size_t end = 0;    ///< of the blank behind the value, or the size of the text
};
/// The first whole argument of that name at or after `from`. Nothing: there is none.
std::optional<ArgumentRange> find_argument(std::string_view arguments, std::string_view name,
                                           std::size_t from = 0);

class KubeEnv {
public:
    /// Numbers and the like are texts as they are written, and a key without a value has the empty
    /// one; lists and maps are left out. Of a key that is there twice the last value counts, as
    /// upstream's parser has it. `invalid_argument` with line and column: it is no map, it has an
    /// alias, it is nested more deeply than 32, is no UTF-8, or larger than 1 MiB.
    static Result<KubeEnv> parse(const std::string& yaml);

    /// Nothing: it has no such variable.
    std::optional<std::string> find(std::string_view name) const;
    /// "110" of "--v=2 --max-pods=110" in KUBELET_ARGS or KUBELET_TEST_ARGS. Nothing: neither has
    /// it.
    std::optional<std::string> find_kubelet_argument(std::string_view name) const;
    /// Of AUTOSCALER_ENV_VARS: "node_labels=a=b,c=d;os=linux". Blanks and quotes around a value
    /// count for nothing. `invalid_argument`: a part before it has no '='.
    Result<std::optional<std::string>> find_autoscaler_variable(std::string_view name) const;
    const std::map<std::string, std::string, std::less<>>& variables() const noexcept {
        return variables_;
    }

private:
    std::map<std::string, std::string, std::less<>> variables_{};
};

}  // namespace capstan::gce
