/// A struct with a describe() as TOML text, without the members that have their default. The
/// inverse of config/section.hpp, for files that people read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/section.hpp"

namespace capstan::simulator {

template <class S>
std::vector<std::string> members_text(S value, S defaults = {});

/// "{ a = 1, b = 2 }" of "a = 1" and "b = 2"; "{}" without members.
inline std::string inline_table(const std::vector<std::string>& members) {
    std::string out;
    for (const std::string& member : members) out += (out.empty() ? " " : ", ") + member;
    return out.empty() ? "{}" : "{" + out + " }";
}
/// "[1, 2]".
inline std::string inline_list(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
    return "[" + out + "]";
}

/// One value as TOML; empty: it is absent.
template <class T>
struct MemberText {
    static std::string of(const T& value) {
        if constexpr (config::Described<T>) {
            return inline_table(members_text(value));
        } else {
            return config::MemberType<T>::toml(value);
        }
    }
};

template <class T>
struct MemberText<std::optional<T>> {
    static std::string of(const std::optional<T>& value) {
        return value ? MemberText<T>::of(*value) : "";
    }
};

template <class T>
struct MemberText<std::vector<T>> {
    static std::string of(const std::vector<T>& value) {
        std::vector<std::string> items;
        for (const T& item : value) items.push_back(MemberText<T>::of(item));
        return inline_list(items);
    }
};

template <class T>
struct MemberText<std::map<std::string, T>> {
    static std::string of(const std::map<std::string, T>& value) {
        std::vector<std::string> members;
        for (const auto& [key, item] : value)
            members.push_back(config::toml_key(key) + " = " + MemberText<T>::of(item));
        return inline_table(members);
    }
};

/// Collects key and text of each member that describe() names.
struct MemberCollector {
    std::vector<std::pair<std::string, std::string>> members{};

    template <class T>
    void operator()(std::string_view key, T& member, std::string_view, const config::Rules& = {}) {
        members.emplace_back(key, MemberText<T>::of(member));
    }
    /// Tables with one member that is the shorthand are written as its value.
    template <config::Described T>
    void operator()(std::string_view key, std::vector<T>& member, std::string_view,
                    const config::Rules& rules = {}) {
        const std::string shorthand = rules.shorthand + " = ";
        std::vector<std::string> items;
        for (const T& item : member) {
            const std::vector<std::string> own = members_text(item);
            const bool is_short =
                own.size() == 1 && !rules.shorthand.empty() && own.front().starts_with(shorthand);
            items.push_back(is_short ? own.front().substr(shorthand.size()) : inline_table(own));
        }
        members.emplace_back(key, inline_list(items));
    }
};

/// One "key = value" for each member that differs from `defaults`, in the order of describe().
template <class S>
std::vector<std::string> members_text(S value, S defaults) {
    MemberCollector own, usual;
    describe(own, value);
    describe(usual, defaults);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < own.members.size(); ++i) {
        const auto& [key, text] = own.members[i];
        if (!text.empty() && text != usual.members[i].second)
            out.push_back(config::toml_key(key) + " = " + text);
    }
    return out;
}

}  // namespace capstan::simulator
