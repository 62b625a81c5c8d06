// The text of a recording, without its secrets.
#include <algorithm>
#include <array>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/testing/recording.hpp>
#include <capstan/url.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr std::string_view masked = "***";
constexpr std::string_view hex_digits = "0123456789ABCDEF";

constexpr std::array<std::string_view, 8> secret_headers{
    "authorization", "cookie",         "proxy-authorization",
    "set-cookie",    "x-api-key",      "x-aws-ec2-metadata-token",
    "x-auth-token",  "x-subject-token"};
/// Members, elements and parameters whose value is a secret, in lower case.
constexpr std::array<std::string_view, 16> secret_names{
    "access_token",   "api_key",      "apikey",        "client_secret",    "id_token",
    "password",       "private_key",  "refresh_token", "secret",           "secretaccesskey",
    "session_token",  "sessiontoken", "token",         "x-amz-credential", "x-amz-security-token",
    "x-amz-signature"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_name_character(char c) noexcept { return is_ascii_alnum(c) || c == '_' || c == '-'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    if (from.empty()) return;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// The range of the value after a name that ends at `at`: `name": "value"`,
/// `<name>value<`, `name=value&`. Equal: no value stands there.
std::pair<std::size_t, std::size_t> value_behind(std::string_view text, std::size_t at) {
    const auto until = [&](std::size_t start, std::string_view ends) {
        return std::pair(start, std::min(text.find_first_of(ends, start), text.size()));
    };
    if (at < text.size() && text[at] == '>') return until(at + 1, "<");
    if (at < text.size() && text[at] == '=') return until(at + 1, "&; \t\r\n\"");
    if (at == text.size() || text[at] != '"') return {at, at};
    std::size_t start = text.find_first_not_of(" \t\r\n", at + 1);
    if (start == std::string_view::npos || text[start] != ':') return {at, at};
    start = text.find_first_not_of(" \t\r\n", start + 1);
    if (start == std::string_view::npos || text[start] != '"') return {at, at};
    std::size_t end = ++start;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return {start, std::min(end, text.size())};
}

/// Writes exchanges, each without what is secret.
class RecordingWriter {
public:
    explicit RecordingWriter(const std::vector<std::string>& secrets) : secrets_(secrets) {
        // The longer first: one may be a part of another.
        std::sort(secrets_.begin(), secrets_.end(),
                  [](const auto& a, const auto& b) { return a.size() > b.size(); });
    }
    void add(const Exchange& e) {
        out_ += "> " + e.method + " " + without_secrets(e.url) + "\n";
        if (e.request_body) add_lines(">| ", without_secrets(*e.request_body));
        if (e.reply) return add_reply(*e.reply);
        const Error error = e.error.value_or(Error{ErrorCode::deadline, "no reply in time"});
        std::string message = without_secrets(error.message);
        std::replace(message.begin(), message.end(), '\n', ' ');
        out_ += "! " + std::string(name_of(error.code)) + " " + message + "\n";
    }
    std::string text() && { return std::move(out_); }

private:
    void add_reply(const HttpReply& reply) {
        out_ += "< " + std::to_string(reply.status) + "\n";
        add_headers("< ", reply.headers);
        add_headers("<< ", reply.trailers);
        const std::string body = without_secrets(reply.body);
        if (!is_plain(body)) {
            add_lines("<| ", body);
        } else if (!body.empty()) {
            out_ += "\n" + body + "\n";
        }
    }
    void add_headers(const char* mark, const HttpHeaders& headers) {
        for (const auto& [name, value] : headers) {
            const std::string_view shown = contains(secret_headers, name) ? masked : value;
            out_ += mark + name + ": " + without_secrets(shown) + "\n";
        }
    }
    /// Whether it can stand below the head as it is.
    static bool is_plain(std::string_view body) {
        const bool is_request = body.substr(0, 2) == "> " || body.find("\n> ") != body.npos;
        return !is_request && std::all_of(body.begin(), body.end(), [](char c) {
            return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t';
        });
    }
    void add_lines(std::string_view mark, std::string_view text) {
        out_ += mark;
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '\n') {
                out_.append("\n").append(mark);
            } else if (c == '\\') {
                out_ += "\\\\";
            } else if (byte < 0x20 || byte == 0x7f) {
                out_ += {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
            } else {
                out_ += c;
            }
        }
        out_ += '\n';
    }
    std::string without_secrets(std::string_view given) const {
        std::string out(given);
        for (const std::string& secret : secrets_) {
            replace_all(out, secret, masked);
            replace_all(out, percent_encode(secret), masked);
        }
        mask_named(out);
        return out;
    }
    static void mask_named(std::string& text) {
        for (std::size_t at = 0; at < text.size();) {
            if (!is_name_character(text[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            std::string name;
            for (; end < text.size() && is_name_character(text[end]); ++end) {
                const char c = text[end];
                name += ascii_lower(c);
            }
            at = end;
            if (!contains(secret_names, name)) continue;
            const auto [first, last] = value_behind(text, end);
            if (last > first) text.replace(first, last - first, masked);
        }
    }

    std::vector<std::string> secrets_;
    std::string out_;
};

}  // namespace

std::string to_recording(const std::vector<Exchange>& exchanges,
                         const std::vector<std::string>& secrets) {
    RecordingWriter writer(secrets);
    for (const Exchange& e : exchanges) writer.add(e);
    return std::move(writer).text();
}

std::string to_recording(FakeHost& host) {
    std::vector<std::string> secrets;
    for (const auto& [name, value] : host.secrets()) secrets.push_back(value);
    return to_recording(host.http().conversation(), secrets);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
