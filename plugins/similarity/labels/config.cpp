#include "config.hpp"

#include <algorithm>

#include <re2/re2.h>
#include <capstan/sentence.hpp>

#include "presets.hpp"

namespace capstan::similarity {
namespace {

std::shared_ptr<const re2::RE2> compiled(const std::string& written) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return std::make_shared<const re2::RE2>(written, options);
}

std::string refusal(const re2::RE2& regex) {
    return "regular expression " + in_quotes(regex.pattern()) + ": " + regex.error();
}

Setting list_of_texts(std::string_view key, std::string_view doc) {
    return {
        .key = key, .type = SettingType::string, .doc = doc, .default_value = "[]", .list = true};
}

void add(LabelsConfig::Keys& keys, const std::vector<std::string>& more) {
    keys.insert(more.begin(), more.end());
}
void add(LabelsConfig::Keys& keys, const std::vector<std::string_view>& more) {
    keys.insert(more.begin(), more.end());
}

void check_regexes(const Settings& settings) {
    const std::vector<std::string> written = settings.texts("ignore_regexes");
    for (std::size_t i = 0; i < written.size(); ++i) {
        const auto regex = compiled(written[i]);
        if (!regex->ok()) settings.reject("ignore_regexes", i, refusal(*regex));
    }
}

void check_empty(const Settings& settings, std::string_view key, std::string_view why) {
    const std::vector<std::string> written = settings.texts(key);
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (written[i].empty()) settings.reject(key, i, why);
    }
}

}  // namespace

bool LabelsConfig::is_ignored(std::string_view key) const {
    return ignore.count(key) != 0 ||
           std::any_of(
               ignore_prefixes.begin(), ignore_prefixes.end(),
               [&](const std::string& prefix) { return key.substr(0, prefix.size()) == prefix; }) ||
           std::any_of(ignore_regexes.begin(), ignore_regexes.end(), [&](const auto& regex) {
               return re2::RE2::PartialMatch(re2::StringPiece(key.data(), key.size()), *regex);
           });
}

Schema labels_schema() {
    Setting preset{.key = "preset",
                   .type = SettingType::enumeration,
                   .doc =
                       "Labels to ignore: zone, host and pool labels of the given cloud. proposal: "
                       "only zone and hostname.",
                   .default_value = "\"generic\""};
    for (const Preset& p : presets()) preset.allowed.push_back(p.name);
    return {preset,
            list_of_texts("ignore", "Additional label keys to ignore."),
            list_of_texts("ignore_prefixes", "Prefixes of additional label keys to ignore."),
            list_of_texts("ignore_regexes",
                          "Regular expressions (RE2) of additional label keys to ignore; they "
                          "match anywhere in the key."),
            list_of_texts("only",
                          "Compare only these labels; each must be on both nodes with equal "
                          "values. The preset has no effect; ignored labels must not be set."),
            list_of_texts("same",
                          "Labels that decide alone: nodes with an equal, non-empty value are "
                          "similar regardless of all other checks.")};
}

LabelsConfig read_labels(const Settings& settings) {
    LabelsConfig out;
    add(out.only, settings.texts("only"));
    add(out.same, settings.texts("same"));
    // Label mode replaces the whole comparison, and with it what a cloud's preset would decide.
    const Preset* preset = out.only.empty() ? find_preset(settings.text("preset")) : nullptr;
    if (preset != nullptr) {
        add(out.ignore, preset->ignore);
        add(out.same, preset->same);
    }
    add(out.ignore, settings.texts("ignore"));
    out.ignore_prefixes = settings.texts("ignore_prefixes");
    for (const std::string& written : settings.texts("ignore_regexes")) {
        out.ignore_regexes.push_back(compiled(written));
        const re2::RE2& regex = *out.ignore_regexes.back();
        if (!regex.ok())
            throw Failure(ErrorCode::invalid_config, "ignore_regexes: " + refusal(regex));
    }
    return out;
}

void check_labels(const Settings& settings) {
    for (const char* key : {"ignore", "only", "same"})
        check_empty(settings, key, "label keys must not be empty");
    check_empty(settings, "ignore_prefixes", "an empty prefix would ignore all labels");
    check_empty(settings, "ignore_regexes", "an empty expression would ignore all labels");
    check_regexes(settings);
    if (settings.texts("only").empty()) return;
    for (const char* key : {"ignore", "ignore_prefixes", "ignore_regexes"}) {
        if (!settings.texts(key).empty()) {
            settings.reject(key, "cannot be combined with `only`; remove one of them");
        }
    }
}

}  // namespace capstan::similarity
