#include "user_data.hpp"

#include <string>

#include <capstan/ascii.hpp>
#include <capstan/base64.hpp>
#include <capstan/whole_number.hpp>

#include "pod_limits.hpp"

namespace capstan::aws {
namespace {

bool is_part_of_word(char c) noexcept { return is_ascii_alnum(c) || c == '_'; }

/// The first word of `text` after "=", ":", a blank or quotes; empty if there is none.
std::string_view word_at(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t=:\"'\\");
    if (begin == 0 || begin == std::string_view::npos) return {};
    std::size_t end = begin;
    while (end < text.size() && is_part_of_word(text[end])) ++end;
    return text.substr(begin, end - begin);
}

/// Calls `take` with the word after each occurrence of `key` in the line.
template <class Take>
void for_words_behind(std::string_view line, std::string_view key, Take take) {
    for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at)) {
        at += key.size();
        take(word_at(line.substr(at)));
    }
}

void read_max_pods(std::string_view line, UserDataFacts& out) {
    for_words_behind(line, "--use-max-pods", [&](std::string_view word) {
        if (word == "false" && !out.max_pods) out.max_pods = default_max_pods;
    });
    for (const std::string_view key : {"max-pods", "maxPods"}) {
        for_words_behind(line, key, [&](std::string_view word) {
            const auto pods = find_whole_number(word);
            if (pods && *pods > 0) out.max_pods = pods;
        });
    }
}

void read_local_disks(std::string_view line, UserDataFacts& out) {
    for (const std::string_view key : {"--local-disks", "strategy"}) {
        for_words_behind(line, key, [&](std::string_view how) {
            if (how == "raid0" || how == "RAID0") out.local_disks = LocalDisks::striped;
            if (how == "raid10" || how == "RAID10") out.local_disks = LocalDisks::mirrored;
        });
    }
}

ImageFamily family_of(std::string_view text) {
    const auto has = [text](std::string_view part) {
        return text.find(part) != std::string_view::npos;
    };
    if (has("node.eks.aws/")) return ImageFamily::amazon_linux_2023;
    if (has("/etc/eks/bootstrap.sh")) return ImageFamily::amazon_linux_2;
    if (has("[settings.kubernetes]")) return ImageFamily::bottlerocket;
    return ImageFamily::unknown;
}

}  // namespace

UserDataFacts read_user_data(std::string_view base64) {
    const Result<std::string> decoded = base64_decode(base64);
    if (!decoded) return {};
    std::string_view text = *decoded;
    UserDataFacts out{.family = family_of(text)};
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        const std::size_t begin = line.find_first_not_of(" \t");
        const bool is_comment = begin != std::string_view::npos && line[begin] == '#';
        if (is_comment) continue;
        read_max_pods(line, out);
        read_local_disks(line, out);
    }
    return out;
}

}  // namespace capstan::aws
