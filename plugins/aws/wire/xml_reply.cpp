#include "xml_reply.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/utf8.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::aws {
namespace {

/// Text that consists of white space only is kept: it may be the value of a tag.
constexpr unsigned int xml_parsing = pugi::parse_default | pugi::parse_ws_pcdata_single;

bool is_xml_list_item(pugi::xml_node node) {
    const std::string_view name = node.name();
    return name == "member" || name == "item";
}

/// "member[3]"
std::string xml_step_of(pugi::xml_node node) {
    std::string out = node.name();
    if (!is_xml_list_item(node)) return out;
    int count = 1;
    for (pugi::xml_node one = node.previous_sibling(node.name()); one;
         one = one.previous_sibling(node.name()))
        ++count;
    return out + '[' + std::to_string(count) + ']';
}

[[noreturn]] void throw_malformed_value(const XmlElement& element, const char* kind) {
    throw Failure(ErrorCode::unavailable,
                  element.path() + ": " + in_quotes(element.text()) + " is not " + kind);
}

[[noreturn]] void throw_missing_element(const XmlElement& parent, std::string_view name) {
    throw Failure(ErrorCode::unavailable,
                  parent.path() + "/" + std::string(name) + " is missing in the response");
}

/// The root element; none if the document has a second element beside it.
pugi::xml_node find_xml_root(const pugi::xml_document& document) {
    const pugi::xml_node root = document.document_element();
    for (pugi::xml_node one = root.next_sibling(); one; one = one.next_sibling()) {
        if (one.type() == pugi::node_element) return {};
    }
    return root;
}

}  // namespace

XmlElement XmlElement::child(std::string_view name) const {
    for (const pugi::xml_node one : node_.children()) {
        if (name == one.name()) return XmlElement(one);
    }
    return {};
}

std::vector<XmlElement> XmlElement::items(std::string_view list) const {
    std::vector<XmlElement> out;
    for (const pugi::xml_node one : child(list).node_.children()) {
        if (is_xml_list_item(one)) out.emplace_back(one);
    }
    return out;
}

std::string XmlElement::text(std::string_view name) const { return child(name).text(); }

std::string XmlElement::text() const { return node_.text().get(); }

std::optional<std::int64_t> XmlElement::integer(std::string_view name) const {
    const XmlElement element = child(name);
    const std::string text = element.text();
    if (text.empty()) return std::nullopt;
    const std::optional<std::int64_t> value = find_whole_number(text);
    if (!value) throw_malformed_value(element, "an integer");
    return value;
}

std::optional<double> XmlElement::number(std::string_view name) const {
    const XmlElement element = child(name);
    const std::string text = element.text();
    if (text.empty()) return std::nullopt;
    const Result<Json> json = parse_json(text);
    const std::optional<double> value = json ? json->number() : std::nullopt;
    if (!value) throw_malformed_value(element, "a number");
    return value;
}

std::optional<bool> XmlElement::boolean(std::string_view name) const {
    const XmlElement element = child(name);
    const std::string text = element.text();
    if (text.empty()) return std::nullopt;
    if (text != "true" && text != "false") throw_malformed_value(element, "true or false");
    return text == "true";
}

std::optional<Time> XmlElement::time(std::string_view name) const {
    const XmlElement element = child(name);
    const std::string text = element.text();
    if (text.empty()) return std::nullopt;
    const Result<Time> value = parse_rfc3339(text);
    if (!value) throw_malformed_value(element, "a time");
    return *value;
}

std::string XmlElement::required_text(std::string_view name) const {
    std::string out = text(name);
    if (out.empty()) throw_missing_element(*this, name);
    return out;
}

std::int64_t XmlElement::required_integer(std::string_view name) const {
    const std::optional<std::int64_t> out = integer(name);
    if (!out) throw_missing_element(*this, name);
    return *out;
}

std::string XmlElement::path() const {
    std::string out;
    for (pugi::xml_node one = node_; one.type() == pugi::node_element; one = one.parent()) {
        const std::string_view below = std::string_view(out).substr(0, out.find('/'));
        const bool is_only_around = one.parent() == one.root() && below.ends_with("Result");
        if (!is_only_around) out = xml_step_of(one) + (out.empty() ? "" : "/") + out;
    }
    return out;
}

Result<XmlReply> XmlReply::parse(std::string body, std::string_view action) {
    if (!is_utf8(body)) body = clean_utf8(body, body.size());
    XmlReply out;
    const pugi::xml_parse_result parsed =
        out.document_.load_buffer(body.data(), body.size(), xml_parsing, pugi::encoding_utf8);
    const auto complain = [&body](const std::string& why) {
        const std::string shown =
            body.empty() ? "the body is empty" : "it begins with " + in_quotes(body);
        return fail(ErrorCode::unavailable, "the response is " + why + "; " + shown);
    };
    if (!parsed)
        return complain("not XML: " + std::string(parsed.description()) + " at byte " +
                        std::to_string(parsed.offset) + " of " + std::to_string(body.size()));
    const pugi::xml_node root = find_xml_root(out.document_);
    if (root.name() != std::string(action) + "Response")
        return complain("not a response to " + std::string(action));
    out.result_ = std::string(action) + "Result";
    return out;
}

XmlElement XmlReply::result() const {
    const XmlElement root(document_.document_element());
    const XmlElement inner = root.child(result_);
    return inner ? inner : root;
}

}  // namespace capstan::aws
