#include <capstan/testing/recording.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/assert.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

bool starts_with(std::string_view text, std::string_view start) noexcept {
    return text.substr(0, start.size()) == start;
}

std::optional<ErrorCode> find_error_code(std::string_view name) {
    for (capstan_status status = CAPSTAN_E_UNSUPPORTED; status <= CAPSTAN_E_BUSY; ++status) {
        if (name_of(error_code(status)) == name) return error_code(status);
    }
    return std::nullopt;
}

/// Absent: a backslash begins something else than `\\` or `\xHH`.
std::optional<std::string> unescaped(std::string_view line) {
    std::string out;
    while (!line.empty()) {
        const char c = line.front();
        line.remove_prefix(1);
        if (c != '\\') {
            out += c;
        } else if (starts_with(line, "\\")) {
            out += '\\';
            line.remove_prefix(1);
        } else {
            unsigned byte = 0;
            const std::string_view digits = line.substr(std::min<std::size_t>(line.size(), 1), 2);
            const char* const end = digits.data() + digits.size();
            if (!starts_with(line, "x") || digits.size() != 2 ||
                std::from_chars(digits.data(), end, byte, 16).ptr != end) {
                return std::nullopt;
            }
            out += static_cast<char>(byte);
            line.remove_prefix(3);
        }
    }
    return out;
}

/// Reads a recording line by line.
class RecordingReader {
public:
    RecordingReader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

    Result<std::vector<Exchange>> read() {
        while (!rest_.empty()) {
            const std::string_view line = take_line();
            if (is_request(line)) {
                CAPSTAN_CHECK(read_request(line));
                CAPSTAN_CHECK(read_end());
            } else if (!line.empty() && line.front() != '#') {
                return refuse("expected \"> METHOD URL\", found \"" + std::string(line) + "\"");
            }
        }
        return std::move(exchanges_);
    }

private:
    static bool is_request(std::string_view line) { return starts_with(line, "> "); }

    std::string_view take_line() {
        const std::size_t end = rest_.find('\n');
        std::string_view line = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        ++number_;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    Unexpected refuse(std::string why) const {
        return fail(ErrorCode::invalid_config, std::string(name_) + ", line " +
                                                   std::to_string(number_) + ": " + std::move(why));
    }
    Result<void> read_request(std::string_view line) {
        line.remove_prefix(2);
        const std::size_t space = line.find(' ');
        if (space == 0 || space == std::string_view::npos || space + 1 == line.size()) {
            return refuse("expected a request like \"> METHOD URL\"");
        }
        exchanges_.push_back({.method = std::string(line.substr(0, space)),
                              .url = std::string(line.substr(space + 1))});
        CAPSTAN_TRY(exchanges_.back().request_body, read_lines(">|"));
        return {};
    }
    Result<void> read_end() {
        const std::string_view first = take_line();
        if (starts_with(first, "! ")) return read_error(first.substr(2));
        CAPSTAN_CHECK(read_reply(first));
        std::optional<HttpReply>& read = exchanges_.back().reply;
        CAPSTAN_ASSERT(read, "the reply that was read is not kept");
        HttpReply& reply = *read;
        CAPSTAN_TRY(std::optional<std::string> body, read_lines("<|"));
        if (!body) {
            read_body(reply);
        } else {
            reply.body = *std::move(body);
        }
        return {};
    }
    Result<void> read_error(std::string_view line) {
        const std::size_t space = std::min(line.find(' '), line.size());
        const std::optional<ErrorCode> code = find_error_code(line.substr(0, space));
        if (!code) return refuse("expected a lost response like \"! unavailable reset\"");
        const std::size_t message = std::min(space + 1, line.size());
        exchanges_.back().error = Error{*code, std::string(line.substr(message))};
        return {};
    }
    Result<void> read_reply(std::string_view first) {
        HttpReply reply;
        const std::string_view digits = starts_with(first, "< ") ? first.substr(2) : "";
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), reply.status);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return refuse("expected a response like \"< STATUS\", found \"" + std::string(first) +
                          "\"");
        }
        CAPSTAN_CHECK(read_headers("< ", reply.headers));
        CAPSTAN_CHECK(read_headers("<< ", reply.trailers));
        exchanges_.back().reply = std::move(reply);
        return {};
    }
    Result<void> read_headers(std::string_view mark, HttpHeaders& to) {
        while (starts_with(rest_, mark)) {
            const std::string_view line = take_line().substr(mark.size());
            const std::size_t colon = line.find(": ");
            if (colon == std::string_view::npos)
                return refuse("expected a header like \"" + std::string(mark) + "NAME: VALUE\"");
            to.emplace_back(lower_case(line.substr(0, colon)), line.substr(colon + 2));
        }
        return {};
    }
    /// The lines that begin with `mark`, put together; absent: there is none.
    Result<std::optional<std::string>> read_lines(std::string_view mark) {
        std::optional<std::string> out;
        while (starts_with(rest_, mark)) {
            std::string_view line = take_line().substr(mark.size());
            if (!line.empty()) line.remove_prefix(1);
            const std::optional<std::string> part = unescaped(line);
            if (!part)
                return refuse("invalid escape; write a backslash as \\\\ and a byte as \\xHH");
            out = out ? *out + "\n" + *part : *part;
        }
        return out;
    }
    void read_body(HttpReply& reply) {
        if (rest_.empty() || is_request(rest_)) return;
        take_line();  // the empty line between head and body
        for (bool first = true; !rest_.empty() && !is_request(rest_); first = false) {
            if (!first) reply.body += '\n';
            reply.body += take_line();
        }
    }

    std::string_view rest_;
    std::string_view name_;
    int number_ = 0;
    std::vector<Exchange> exchanges_;
};

constexpr std::string_view any_text = "***";

/// Whether `pattern`, in which "***" stands for any text, is the whole of `text`.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t star = pattern.find(any_text);
    if (star == std::string_view::npos) return pattern == text;
    if (!starts_with(text, pattern.substr(0, star))) return false;
    text.remove_prefix(star);
    while (true) {
        pattern.remove_prefix(star + any_text.size());
        star = pattern.find(any_text);
        const std::string_view part = pattern.substr(0, star);
        if (star == std::string_view::npos)
            return text.size() >= part.size() && text.substr(text.size() - part.size()) == part;
        const std::size_t at = text.find(part);
        if (at == std::string_view::npos) return false;
        text.remove_prefix(at + part.size());
    }
}

class Player {
public:
    explicit Player(std::vector<Exchange> recording) : recording_(std::move(recording)) {}

    HttpOutcome answer(const HttpRequest& request) {
        const std::lock_guard lock(mutex_);
        const Exchange* found = find(request, true);
        if (found == nullptr) found = find(request, false);
        if (found == nullptr)
            return Error{ErrorCode::unavailable, "the request is not in the recording"};
        if (found->error) return *found->error;
        CAPSTAN_ASSERT(found->reply, "an exchange has neither a reply nor an error");
        return *found->reply;
    }

private:
    static bool suits(const Exchange& e, const HttpRequest& request, bool has_body) {
        if (e.method != request.method || e.request_body.has_value() != has_body) return false;
        return matches(e.url, request.url) && (!has_body || matches(*e.request_body, request.body));
    }
    const Exchange* find(const HttpRequest& request, bool has_body) {
        Exchange* found = nullptr;
        for (Exchange& e : recording_) {
            if (!suits(e, request, has_body)) continue;
            found = &e;
            if (e.times > 0) break;
        }
        if (found != nullptr) found->times = 0;
        return found;
    }

    std::mutex mutex_;
    std::vector<Exchange> recording_;  ///< `times` is 0 of one that is used up
};

}  // namespace

Result<std::vector<Exchange>> parse_recording(std::string_view text, std::string_view name) {
    return RecordingReader(text, name).read();
}

HttpHandler play(std::vector<Exchange> recording) {
    const auto player = std::make_shared<Player>(std::move(recording));
    return [player](const HttpRequest& request) { return player->answer(request); };
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
