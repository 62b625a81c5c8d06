/// The metadata item `kube-env` of an instance template: a YAML map of texts, of which
/// AUTOSCALER_ENV_VARS is made for autoscalers.
#pragma once

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

class KubeEnv {
public:
    /// `invalid_argument` with line and column: it is no map, or larger than 1 MiB. Values that are
    /// no texts are left out.
    static Result<KubeEnv> parse(const std::string& yaml);

    /// Nothing: it has no such variable.
    std::optional<std::string> find(std::string_view name) const;
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
