#include <capstan/testing/fake_http.hpp>

#include <charconv>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// Reads a cassette line by line.
class CassetteReader {
public:
    explicit CassetteReader(std::string_view text) : rest_(text) {}

    Result<std::vector<Exchange>> read() {
        while (!rest_.empty()) {
            const std::string_view line = take_line();
            if (is_request(line)) {
                CAPSTAN_CHECK(read_request(line));
                CAPSTAN_CHECK(read_reply());
                read_body();
            } else if (!line.empty() && line.front() != '#') {
                return refuse("expected \"> METHOD URL\", found \"" + std::string(line) + "\"");
            }
        }
        return std::move(exchanges_);
    }

private:
    static bool is_request(std::string_view line) { return line.substr(0, 2) == "> "; }

    std::string_view take_line() {
        const std::size_t end = rest_.find('\n');
        std::string_view line = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        ++number_;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    Unexpected refuse(std::string why) const {
        return fail(ErrorCode::invalid_config,
                    "cassette, line " + std::to_string(number_) + ": " + std::move(why));
    }
    Result<void> read_request(std::string_view line) {
        line.remove_prefix(2);
        const std::size_t space = line.find(' ');
        if (space == 0 || space == std::string_view::npos || space + 1 == line.size()) {
            return refuse("a request is \"> METHOD URL\"");
        }
        exchanges_.push_back({.method = std::string(line.substr(0, space)),
                              .url = std::string(line.substr(space + 1))});
        return {};
    }
    Result<void> read_reply() {
        const std::string_view first = take_line();
        HttpReply reply;
        const std::string_view digits =
            first.substr(0, 2) == "< " ? first.substr(2) : std::string_view();
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), reply.status);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return refuse("a reply begins with \"< STATUS\", found \"" + std::string(first) + "\"");
        }
        CAPSTAN_CHECK(read_headers("< ", reply.headers));
        CAPSTAN_CHECK(read_headers("<< ", reply.trailers));
        exchanges_.back().reply = std::move(reply);
        return {};
    }
    Result<void> read_headers(std::string_view mark, HttpHeaders& to) {
        while (rest_.substr(0, mark.size()) == mark) {
            const std::string_view line = take_line().substr(mark.size());
            const std::size_t colon = line.find(": ");
            if (colon == std::string_view::npos)
                return refuse("a header is \"" + std::string(mark) + "NAME: VALUE\"");
            to.emplace_back(lower_case(line.substr(0, colon)), line.substr(colon + 2));
        }
        return {};
    }
    void read_body() {
        if (rest_.empty() || is_request(rest_)) return;
        take_line();  // the empty line between head and body
        std::string& body = exchanges_.back().reply->body;
        for (bool first = true; !rest_.empty() && !is_request(rest_); first = false) {
            if (!first) body += '\n';
            body += take_line();
        }
    }
    static std::string lower_case(std::string_view name) {
        std::string out(name);
        for (char& c : out) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        return out;
    }

    std::string_view rest_;
    int number_ = 0;
    std::vector<Exchange> exchanges_;
};

}  // namespace

Result<std::vector<Exchange>> parse_cassette(std::string_view text) {
    return CassetteReader(text).read();
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
