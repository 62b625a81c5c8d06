#include <string>

#include <capstan/utf8.hpp>

#include "credentials/profiles.hpp"
#include "credentials/served_credentials.hpp"
#include "fuzzing.hpp"
#include "wire/aws_error.hpp"
#include "wire/failure_text.hpp"
#include "wire/signature.hpp"
#include "wire/xml_reply.hpp"

namespace {

using namespace capstan;

constexpr const char* action = "DescribeThings";

/// Reads a value. A value that cannot be read is an error with a reason.
template <class Read>
void read_value(Read read) {
    try {
        read();
    } catch (const Failure& failure) {
        fuzz::require(failure.error().code == ErrorCode::unavailable && *failure.what() != '\0',
                      "a value that cannot be read is an error with a reason");
    }
}

void walk(const aws::XmlElement& element, int depth) {
    fuzz::require(is_utf8(element.text()) && is_utf8(element.path()), "what is read is UTF-8");
    read_value([&] { element.integer("MinSize"); });
    read_value([&] { element.number("Price"); });
    read_value([&] { element.boolean("Protected"); });
    read_value([&] { element.time("StartTime"); });
    read_value([&] { element.required_text("Name"); });
    if (depth > 8) return;
    for (const char* list : {"Groups", "set"}) {
        for (const aws::XmlElement& item : element.items(list)) walk(item, depth + 1);
    }
}

void read_as_answer(std::string_view text) {
    const Result<aws::XmlReply> reply = aws::XmlReply::parse(std::string(text), action);
    if (!reply) {
        fuzz::require(
            reply.error().code == ErrorCode::unavailable && !reply.error().message.empty(),
            "a text that is no answer is refused with a reason");
        return;
    }
    fuzz::require(static_cast<bool>(reply->result()), "an answer has a result");
    walk(reply->result(), 0);
}

void read_as_refusal(std::string_view text) {
    const HttpReply reply{400, {{"date", "Thu, 01 Jan 2026 00:00:00 GMT"}}, std::string(text)};
    const Error error = aws::make_aws_error("ec2:DescribeThings", reply, Time());
    fuzz::require(error.message.starts_with("ec2:DescribeThings: "), "an error names its action");
    fuzz::require(is_utf8(error.message) && error.message.find('\n') == std::string::npos,
                  "an error is one line of UTF-8");
    fuzz::require(error.message.size() < 5000 && error.provider_code.size() <= 80,
                  "an error stays in its bounds");
    const Error failure = aws::classify_failure_text("Failed", text);
    fuzz::require(is_utf8(failure.message) && !failure.message.empty(), "a failure has a message");
}

void read_as_profiles(std::string_view text) {
    const Result<aws::Profiles> read = aws::parse_profiles(text, aws::ProfileFile::credentials);
    fuzz::require(read || read.error().message.starts_with("line "),
                  "a mistake in a profile names its line");
    const Result<aws::Credentials> served = aws::parse_served_credentials(text);
    fuzz::require(!served || !served->secret_access_key.empty(), "credentials have a secret");
}

void sign_a_request_to(std::string_view url) {
    const HttpRequest request("GET", "https://e.example/" + std::string(url));
    const std::string signed_text = aws::canonical_request(request, {"r", "s"});
    fuzz::require(signed_text.starts_with("GET\n/"), "a signed path begins with a slash");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    read_as_answer(text);
    read_as_refusal(text);
    read_as_profiles(text);
    sign_a_request_to(text);
    return 0;
}
