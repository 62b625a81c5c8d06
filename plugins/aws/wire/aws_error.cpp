#include "aws_error.hpp"

#include <algorithm>
#include <cstddef>
#include <pugixml.hpp>

#include <capstan/ascii.hpp>
#include <capstan/http_error.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/utf8.hpp>

#include "error_codes.hpp"

namespace capstan::aws {
namespace {

/// A message of AWS may have an encoded part of a kilobyte. The host truncates messages at four.
constexpr std::size_t aws_message_size_max = 1500;

std::string error_line_of(std::string_view text) {
    std::string out = clean_utf8(text, aws_message_size_max);
    for (char& c : out) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    const std::size_t end = out.find_last_not_of(' ');
    out.erase(end == std::string::npos ? 0 : end + 1);
    out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
    return out;
}

/// Parses `<Error>`, alone or in any of the three elements that may wrap it.
AwsErrorText read_xml_error(const HttpReply& reply) {
    pugi::xml_document document;
    if (!document.load_buffer(reply.body.data(), reply.body.size())) return {};
    const pugi::xml_node root = document.document_element();
    const std::string_view name = root.name();
    pugi::xml_node error = root.child("Error");
    if (!error) error = root.child("Errors").child("Error");
    if (!error && name == "Error") error = root;
    AwsErrorText out{error.child_value("Code"), error.child_value("Message"), {}};
    // The front end of the query protocol sends no Code: the element's name is the code.
    if (!error && name.ends_with("Exception")) out.code = name;
    for (const char* id : {"RequestId", "RequestID"}) {
        if (out.request_id.empty()) out.request_id = root.child_value(id);
        if (out.request_id.empty()) out.request_id = error.child_value(id);
    }
    return out;
}

/// "com.amazonaws.sqs#QueueDoesNotExist:http://..." is QueueDoesNotExist.
std::string short_error_name(std::string_view type) {
    type = type.substr(0, type.find(':'));
    if (const std::size_t hash = type.rfind('#'); hash != std::string_view::npos)
        type.remove_prefix(hash + 1);
    return std::string(type);
}

AwsErrorText read_json_error(const HttpReply& reply) {
    AwsErrorText out;
    const Result<Json> body = parse_json(reply.body);
    if (body) {
        for (const char* key : {"message", "Message", "errorMessage"}) {
            if (out.message.empty()) out.message = body->text_at({key});
        }
        for (const char* key : {"__type", "code", "Code"}) {
            if (out.code.empty()) out.code = short_error_name(body->text_at({key}));
        }
    }
    const std::string_view type = reply.header("x-amzn-errortype");
    if (!type.empty()) out.code = short_error_name(type);
    return out;
}

/// The title of a page in HTML, as load balancers and proxies answer.
std::string find_html_title(std::string_view body) {
    const std::size_t begin = body.find("<title>");
    const std::size_t end = body.find("</title>");
    constexpr std::size_t size = std::string_view("<title>").size();
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + size)
        return {};
    return std::string(body.substr(begin + size, end - begin - size));
}

std::string find_request_id(const HttpReply& reply) {
    for (const char* name : {"x-amzn-requestid", "x-amz-request-id", "x-amzn-request-id"}) {
        if (const std::string_view id = reply.header(name); !id.empty()) return std::string(id);
    }
    return {};
}

/// Whether the text looks like an error code. Codes go into metrics and messages, so others are
/// dropped.
bool is_error_code(std::string_view code) noexcept {
    constexpr std::size_t longest = 80;
    const auto is_of_a_word = [](char c) {
        return is_ascii_alnum(c) || c == '.' || c == '_' || c == '-';
    };
    return !code.empty() && code.size() <= longest &&
           std::all_of(code.begin(), code.end(), is_of_a_word);
}

std::string_view word_behind(std::string_view text, std::string_view words) noexcept {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + words.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::string_view word = text.substr(0, text.find_first_of(" \n"));
    while (word.ends_with('.') || word.ends_with(',')) word.remove_suffix(1);
    return word;
}

/// What an operator has to change about a refusal. An explicit deny overrides every allow.
std::string what_is_missing(const std::string& action, const std::string& message) {
    MissingRight right = find_missing_right(message);
    if (right.action.empty()) right.action = action;
    const std::string what = right.action + (right.resource.empty() ? "" : " on " + right.resource);
    if (contains_words(message, "explicit deny")) return "; an IAM policy denies " + what;
    return "; add an IAM policy that allows " + what;
}

}  // namespace

MissingRight find_missing_right(std::string_view message) {
    return {std::string(word_behind(message, "not authorized to perform:")),
            std::string(word_behind(message, "on resource:"))};
}

std::string without_encoded_part(std::string message) {
    const std::size_t at = message.find("Encoded authorization failure message:");
    if (at == std::string::npos) return message;
    const std::size_t blob = message.find_first_not_of(' ', message.find(':', at) + 1);
    const std::size_t end = blob == std::string::npos ? blob : message.find(' ', blob);
    const std::string rest = end == std::string::npos ? std::string() : message.substr(end);
    return message.substr(0, at) + "(encoded message omitted)" + rest;
}

AwsErrorText read_aws_error(const HttpReply& reply) {
    const std::size_t first = reply.body.find_first_not_of(" \t\r\n");
    const char begin = first == std::string::npos ? '\0' : reply.body[first];
    AwsErrorText out = begin == '<' ? read_xml_error(reply) : read_json_error(reply);
    if (!is_error_code(out.code)) out.code.clear();
    if (out.code.empty() && out.message.empty())
        out.message = begin == '<' ? find_html_title(reply.body) : std::string();
    if (out.code.empty() && out.message.empty() && !reply.body.empty())
        out.message = in_quotes(clean_utf8(reply.body, 200));
    out.message = error_line_of(without_encoded_part(std::move(out.message)));
    if (out.request_id.empty()) out.request_id = find_request_id(reply);
    out.request_id = error_line_of(out.request_id);
    return out;
}

Error make_aws_error(const std::string& action, const HttpReply& reply, Time now) {
    const AwsErrorText text = read_aws_error(reply);
    Error out;
    out.code = meaning_of(reply.status, text.code, text.message).code;
    out.provider_code = text.code;
    out.scope = scope_of(text.code);
    out.message =
        action + ": " + (text.code.empty() ? "status " + std::to_string(reply.status) : text.code);
    if (!text.message.empty()) out.message += ": " + text.message;
    // A proxy refuses, too, and knows no policy.
    if (out.code == ErrorCode::permission && !text.code.empty())
        out.message += what_is_missing(action, text.message);
    if (!text.request_id.empty()) out.message += " (request id " + text.request_id + ")";
    out.retry_after = find_retry_after(reply, now);
    return out;
}

FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now) {
    const AwsErrorText text = read_aws_error(reply);
    FailedAttempt out;
    out.error = make_aws_error(action, reply, now);
    out.again = meaning_of(reply.status, text.code, text.message).again;
    return out;
}

}  // namespace capstan::aws
