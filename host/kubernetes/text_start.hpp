/// The first bytes of a text that should be JSON.
#pragma once

#include <cstddef>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::kubernetes {

/// Passes over a byte order mark, and knows what people hand over instead of UTF-8 text.
class TextStart {
public:
    /// What is left of `text`, the next piece. Fails where the first one is no UTF-8 text.
    Result<std::string_view> take(std::string_view text);

private:
    std::size_t matched_ = 0;  ///< bytes of the mark
    bool is_over_ = false;
};

}  // namespace capstan::kubernetes
