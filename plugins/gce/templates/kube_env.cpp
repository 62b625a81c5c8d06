#include "kube_env.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <sstream>

#include <capstan/sentence.hpp>
#include <capstan/utf8.hpp>

namespace capstan::gce {
namespace {

/// Compute's limit for a metadata value is 256 KiB.
constexpr std::size_t kube_env_size_max = std::size_t{1} << 20;
/// Maximum nesting of lists and maps within the map.
constexpr int kube_env_depth_max = 32;
/// Between arguments.
constexpr std::string_view blanks = " \n\t";

Unexpected no_kube_env(const YAML::Mark& mark, const std::string& why) {
    const std::string place = mark.is_null()
                                  ? std::string()
                                  : "line " + std::to_string(mark.line + 1) + ", column " +
                                        std::to_string(mark.column + 1) + ": ";
    return fail(ErrorCode::invalid_argument, "kube-env: " + place + why);
}

/// Collects the variables from the parser's events. Unlike a YAML tree, events show aliases and the
/// depth of nesting.
class VariableReader final : public YAML::EventHandler {
public:
    using Variables = std::map<std::string, std::string, std::less<>>;
    Variables take() { return std::move(variables_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    /// A key without a value has the empty value.
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {
        if (depth_ == 1) put(is_value_ ? std::optional(std::string()) : std::nullopt);
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  const std::string& value) override {
        if (depth_ == 0) refuse_root(mark);
        if (depth_ == 1) put(value);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        throw YAML::ParserException(mark, "aliases are not supported; write the value");
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        if (depth_ == 0) refuse_root(mark);
        open(mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        open(mark);
    }
    void OnMapEnd() override { close(); }

private:
    [[noreturn]] static void refuse_root(const YAML::Mark& mark) {
        throw YAML::ParserException(mark, "expected a map of strings");
    }
    void open(const YAML::Mark& mark) {
        if (++depth_ > kube_env_depth_max) throw YAML::ParserException(mark, "nested too deeply");
    }
    void close() {
        if (--depth_ == 1) put(std::nullopt);
    }
    /// Takes a key or a value of the map. nullopt means that it is not a scalar: the pair is
    /// left out.
    void put(std::optional<std::string> text) {
        if (!is_value_)
            key_ = std::move(text);
        else if (key_ && text)
            variables_.insert_or_assign(*std::move(key_), *std::move(text));
        is_value_ = !is_value_;
    }

    Variables variables_{};
    std::optional<std::string> key_{};
    bool is_value_ = false;
    int depth_ = 0;
};

std::string_view trimmed_of(std::string_view text, std::string_view characters) {
    const std::size_t begin = text.find_first_not_of(characters);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(characters) - begin + 1);
}

}  // namespace

Result<PairList> parse_pairs(std::string_view text) {
    PairList out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos)
            return fail(ErrorCode::invalid_argument, in_quotes(part) + ": expected \"key=value\"");
        out.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
    return out;
}

std::optional<ArgumentRange> find_argument(std::string_view arguments, std::string_view name,
                                           std::size_t from) {
    const std::string begin = "--" + std::string(name) + "=";
    for (std::size_t at = arguments.find(begin, from); at != std::string_view::npos;
         at = arguments.find(begin, at + 1)) {
        const bool is_part_of_another = at > 0 && blanks.find(arguments[at - 1]) == blanks.npos;
        if (is_part_of_another) continue;
        return ArgumentRange{
            .begin = at,
            .value = at + begin.size(),
            .end = std::min(arguments.find_first_of(blanks, at), arguments.size())};
    }
    return std::nullopt;
}

Result<KubeEnv> KubeEnv::parse(const std::string& yaml) {
    if (yaml.size() > kube_env_size_max)
        return no_kube_env(YAML::Mark::null_mark(), "larger than 1 MiB");
    if (!is_utf8(yaml)) return no_kube_env(YAML::Mark::null_mark(), "not UTF-8");
    KubeEnv out;
    try {
        std::istringstream text(yaml);
        YAML::Parser parser(text);
        VariableReader reader;
        parser.HandleNextDocument(reader);
        out.variables_ = reader.take();
    } catch (const YAML::Exception& e) {
        return no_kube_env(e.mark, e.msg);
    }
    return out;
}

std::optional<std::string> KubeEnv::find(std::string_view name) const {
    const auto at = variables_.find(name);
    return at == variables_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::string> KubeEnv::find_kubelet_argument(std::string_view name) const {
    for (const std::string_view variable : {"KUBELET_ARGS", "KUBELET_TEST_ARGS"}) {
        const auto at = variables_.find(variable);
        if (at == variables_.end()) continue;
        const auto argument = find_argument(at->second, name);
        if (argument) return at->second.substr(argument->value, argument->end - argument->value);
    }
    return std::nullopt;
}

Result<std::optional<std::string>> KubeEnv::find_autoscaler_variable(std::string_view name) const {
    const std::optional<std::string> all = find("AUTOSCALER_ENV_VARS");
    std::string_view rest = all ? trimmed_of(*all, " ") : std::string_view();
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const std::string_view variable = trimmed_of(part, " ");
        // The empty part after a trailing semicolon is not a variable.
        if (variable.empty()) continue;
        const std::size_t equals = variable.find('=');
        if (equals == std::string_view::npos)
            return fail(ErrorCode::invalid_argument,
                        "AUTOSCALER_ENV_VARS: " + in_quotes(variable) + " has no '='");
        if (trimmed_of(variable.substr(0, equals), " ") == name)
            return std::optional(std::string(trimmed_of(variable.substr(equals + 1), " \"'")));
    }
    return std::optional<std::string>();
}

}  // namespace capstan::gce
