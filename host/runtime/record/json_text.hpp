/// JSON, written from left to right into one text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::runtime {

/// Puts the commas; that what is begun is ended, and every value of an object has its key, is the
/// caller's part. Without spaces or lines.
class JsonText {
public:
    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    void key(std::string_view key);

    /// Bytes that are no UTF-8 become U+FFFD, for JSON has no way to say them.
    void text(std::string_view text);
    void text_member(std::string_view name, std::string_view value);
    void whole(std::int64_t number);
    void natural(std::uint64_t number);
    void boolean(bool value);
    void null();

    std::string take() { return std::move(out_); }

private:
    void begin(char bracket);
    void end(char bracket);
    void separate();
    void append(std::string_view text);

    std::string out_;
    bool needs_comma_ = false;
};

}  // namespace capstan::runtime
