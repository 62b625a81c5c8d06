/// Lists in pages.
///
///     Task<Page<Server>> AcmeCloud::page(std::string token);  // empty token: the first page
///
///     const auto read = [this](std::string token) { return page(std::move(token)); };
///     const std::vector<Server> servers = co_await read_pages(read);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/http.hpp>
#include <capstan/sentence.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
struct Page {
    std::vector<T> items{};
    std::string next{};  ///< token of the next page; empty: this is the last one
};

namespace detail {

// A separate function, since g++ warns about a coroutine that holds a lambda.
template <class T>
Task<std::vector<T>> read_all_pages(std::function<Task<Page<T>>(std::string)> read,
                                    std::size_t most_pages) {
    std::vector<T> out;
    std::set<std::string, std::less<>> seen;
    std::string token;
    for (;;) {
        Page<T> page = co_await read(token);
        std::move(page.items.begin(), page.items.end(), std::back_inserter(out));
        token = std::move(page.next);
        if (token.empty()) break;
        if (!seen.insert(token).second)
            co_return fail(ErrorCode::unavailable, "page " + std::to_string(seen.size() + 1) +
                                                       ": the token of the next page, " +
                                                       in_quotes(token) + ", was returned before");
        if (seen.size() >= most_pages)
            co_return fail(ErrorCode::unavailable,
                           "more than " + counted(static_cast<std::int64_t>(most_pages), "page"));
    }
    co_return out;
}

template <class T>
struct PageItem;
template <class T>
struct PageItem<Task<Page<T>>> {
    using type = T;
};

/// Whether the parameters of a link (`; rel="next last"; title=x`) mark the next page.
inline bool is_next_link(std::string_view parameters) {
    const std::string text = lower_case(parameters);
    std::size_t at = text.find("rel=");
    if (at == std::string::npos ||
        (at > 0 && std::string_view("; \t").find(text[at - 1]) == std::string_view::npos))
        return false;
    std::string_view value = std::string_view(text).substr(at + 4);
    if (value.starts_with('"')) {
        value = value.substr(1, value.find('"', 1) - 1);
    } else {
        value = value.substr(0, value.find_first_of("; \t,"));
    }
    while (!value.empty()) {
        const std::string_view word = value.substr(0, value.find(' '));
        if (word == "next") return true;
        value.remove_prefix(std::min(word.size() + 1, value.size()));
    }
    return false;
}

/// The end of the parameters of a link: a comma outside quotation marks.
inline std::size_t end_of_link(std::string_view text) noexcept {
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (text[i] == ',' && !is_quoted) return i;
    }
    return text.size();
}

}  // namespace detail

/// All items of all pages, in order. `read` returns a Task<Page<T>> for a token. A page that cannot
/// be read fails the whole list, since in an incomplete list machines would seem to be gone.
/// `unavailable`: a token was returned twice, or there are more than `most_pages`.
template <class Read>
auto read_pages(Read read, std::size_t most_pages = 1000) {
    using T = typename detail::PageItem<std::invoke_result_t<Read&, std::string>>::type;
    return detail::read_all_pages<T>(std::move(read), most_pages);
}

/// The target of the link with rel="next" in the Link headers, unchanged; empty: this is the last
/// page. The host sends requests only to granted host names, so a link cannot lead elsewhere.
inline std::string next_link(const HttpReply& reply) {
    for (const auto& [name, value] : reply.headers) {
        std::string_view rest = name == "link" ? std::string_view(value) : std::string_view();
        for (;;) {
            const std::size_t begin = rest.find('<');
            const std::size_t end = begin == std::string_view::npos ? begin : rest.find('>', begin);
            if (end == std::string_view::npos) break;
            const std::string_view target = rest.substr(begin + 1, end - begin - 1);
            rest.remove_prefix(end + 1);
            const std::size_t length = detail::end_of_link(rest);
            if (detail::is_next_link(rest.substr(0, length))) return std::string(target);
            rest.remove_prefix(length);
        }
    }
    return {};
}

CAPSTAN_NAMESPACE_END
