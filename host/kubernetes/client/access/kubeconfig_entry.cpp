#include "kubernetes/client/access/kubeconfig_entry.hpp"

#include <algorithm>

#include "io/printable.hpp"
#include "kubernetes/client/access/credentials_base64.hpp"

namespace capstan::kubernetes {
namespace {

const YamlValue nothing{.kind = YamlValue::Kind::map};

std::optional<bool> find_flag(const YamlValue& value) {
    if (value.kind != YamlValue::Kind::text || !value.is_plain) return std::nullopt;
    std::string word = value.text;
    std::ranges::transform(word, word.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    // YAML 1.1's words, for that is what kubectl's reader takes.
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
    return std::nullopt;
}

}  // namespace

std::string name_in_quotes(std::string_view name) {
    const auto ends = std::ranges::find_if(
        name, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '{' || c == ','; });
    const bool is_word = ends == name.end();
    return '"' + io::printable({name.begin(), ends}, 200) + (is_word ? "\"" : "...\"");
}

KubeconfigEntry::KubeconfigEntry(std::filesystem::path file, std::string what,
                                 const YamlValue& value, std::optional<Error>& problem)
    : file_(std::move(file)),
      what_(std::move(what)),
      value_(&value),
      line_(value.line),
      problem_(&problem) {
    if (value.kind == YamlValue::Kind::map) return;
    if (value.kind != YamlValue::Kind::null) complain({}, "expects a map of keys and values");
    value_ = &nothing;
}

KubeconfigEntry KubeconfigEntry::below(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) {
        KubeconfigEntry empty(file_, what_, nothing, *problem_);
        empty.line_ = line_;
        return empty;
    }
    std::string what = what_.empty() ? std::string(key) : what_ + ": " + std::string(key);
    return {file_, std::move(what), *value, *problem_};
}

std::vector<KubeconfigEntry> KubeconfigEntry::each(std::string_view key) const {
    std::vector<KubeconfigEntry> out;
    const YamlValue* list = find(key);
    if (list == nullptr) return out;
    if (list->kind != YamlValue::Kind::list) complain(key, "expects a list");
    for (const YamlValue& item : list->children) {
        if (list->kind == YamlValue::Kind::list)
            out.push_back({file_, std::string(key), item, *problem_});
    }
    return out;
}

KubeconfigEntry KubeconfigEntry::named(std::string what) const {
    KubeconfigEntry out = *this;
    out.what_ = std::move(what);
    return out;
}

std::string KubeconfigEntry::text(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) return {};
    if (value->kind != YamlValue::Kind::text) complain(key, "expects text");
    return value->text;
}

std::vector<std::string> KubeconfigEntry::texts_of(const YamlValue& list,
                                                   std::string_view key) const {
    std::vector<std::string> out;
    if (list.kind != YamlValue::Kind::list) {
        complain(key, "expects a list of texts");
        return out;
    }
    for (const YamlValue& item : list.children) {
        if (item.kind != YamlValue::Kind::text) complain(key, "expects a list of texts");
        out.push_back(item.text);
    }
    return out;
}

std::vector<std::string> KubeconfigEntry::texts(std::string_view key) const {
    const YamlValue* list = find(key);
    return list == nullptr ? std::vector<std::string>() : texts_of(*list, key);
}

std::vector<std::pair<std::string, std::vector<std::string>>> KubeconfigEntry::lists(
    std::string_view key) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> out;
    const YamlValue* map = find(key);
    if (map == nullptr) return out;
    if (map->kind != YamlValue::Kind::map) {
        complain(key, "expects a map of lists");
        return out;
    }
    for (const YamlValue& member : map->children)
        out.emplace_back(member.key, texts_of(member, key));
    return out;
}

bool KubeconfigEntry::flag(std::string_view key) const {
    const YamlValue* value = find(key);
    if (value == nullptr) return false;
    const std::optional<bool> flag = find_flag(*value);
    if (!flag) complain(key, "expects true or false");
    return flag.value_or(false);
}

std::filesystem::path KubeconfigEntry::folder() const {
    return std::filesystem::absolute(file_).parent_path();
}

std::filesystem::path KubeconfigEntry::path(std::string_view key) const {
    const std::string written = text(key);
    // A path that is absolute by itself stays as it is.
    return written.empty() ? std::filesystem::path() : (folder() / written).lexically_normal();
}

PemSource KubeconfigEntry::pem(const std::string& key) const {
    const std::string data_key = key + "-data";
    const std::string data = text(data_key);
    if (data.empty()) return {.file = path(key)};
    std::optional<std::string> bytes = find_base64_bytes(data);
    if (!bytes || bytes->find("-----BEGIN ") == std::string::npos)
        complain(data_key, "expects PEM in base64");
    return {.text = std::move(bytes).value_or("")};
}

void KubeconfigEntry::complain(std::string_view key, std::string_view why) const {
    if (problem_->has_value()) return;
    const YamlValue* at = key.empty() ? nullptr : find(key);
    const std::size_t line = at == nullptr ? line_ : at->line;
    std::string message = file_.string() + ':';
    if (line > 0) message += std::to_string(line) + ':';
    if (!what_.empty()) message += ' ' + what_ + ':';
    if (!key.empty()) message += ' ' + std::string(key);
    *problem_ = Error{ErrorCode::invalid_config, message + ' ' + std::string(why)};
}

}  // namespace capstan::kubernetes
