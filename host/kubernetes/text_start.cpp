#include "kubernetes/text_start.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view mark = "\xEF\xBB\xBF";

/// NULL: may well be JSON.
const char* find_objection(char first) {
    switch (first) {
        case '\xFF':
        case '\xFE':
            return "is UTF-16 text, which PowerShell makes of redirected output; expects UTF-8";
        case '\x1F': return "is compressed; expects JSON text";
        default: return nullptr;
    }
}

}  // namespace

Result<std::string_view> TextStart::take(std::string_view text) {
    while (!is_over_ && !text.empty()) {
        if (matched_ == 0) {
            if (const char* objection = find_objection(text.front()))
                return fail(ErrorCode::invalid_argument, objection);
        }
        is_over_ = matched_ == mark.size() || text.front() != mark[matched_];
        if (is_over_) break;
        ++matched_;
        text.remove_prefix(1);
    }
    return text;
}

}  // namespace capstan::kubernetes
