/// Text of bounded length, for what clouds and the API server say in Memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/utf8.hpp>

namespace capstan::engine {

/// A text of at most `limit` bytes. A longer text is cut after a whole character and ends with
/// "...". Texts are converted implicitly, so a comparison with a long text compares what is kept.
class BriefText {
public:
    static constexpr std::size_t limit = 256;

    BriefText() = default;
    BriefText(std::string text)  // NOLINT(google-explicit-constructor)
        : text_(std::move(text)) {
        if (text_.size() <= limit) return;
        text_.resize(beginning_of(text_, limit - rest.size()).size());
        text_ += rest;
    }
    BriefText(const char* text)  // NOLINT(google-explicit-constructor)
        : BriefText(std::string(text)) {}

    const std::string& text() const noexcept { return text_; }
    operator const std::string&() const noexcept { return text_; }  // NOLINT(*-explicit-*)
    bool empty() const noexcept { return text_.empty(); }
    friend bool operator==(const BriefText&, const BriefText&) = default;

private:
    static constexpr std::string_view rest = "...";

    std::string text_{};
};

}  // namespace capstan::engine
