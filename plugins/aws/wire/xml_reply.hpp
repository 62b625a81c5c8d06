/// An XML answer of AWS.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

namespace capstan::aws {

/// One element. The children and values of an absent element are absent, too. Valid as long as its
/// XmlReply.
class XmlElement {
public:
    XmlElement() = default;
    explicit XmlElement(pugi::xml_node node) : node_(node) {}

    explicit operator bool() const noexcept { return static_cast<bool>(node_); }
    /// The first child of that name; an absent element if there is none.
    XmlElement child(std::string_view name) const;
    /// The children of a list: `<member>` of the query protocol, `<item>` of ec2's.
    std::vector<XmlElement> items(std::string_view list) const;

    /// Empty if the element is absent or empty.
    std::string text(std::string_view name) const;
    std::string text() const;
    /// No value if the element is absent or empty. Throws a Failure (`unavailable`) that names the
    /// element's path and its text if the value is malformed.
    std::optional<std::int64_t> integer(std::string_view name) const;
    std::optional<double> number(std::string_view name) const;
    std::optional<bool> boolean(std::string_view name) const;
    std::optional<Time> time(std::string_view name) const;
    /// Like the functions above, but these throw also if the element is absent or empty.
    std::string required_text(std::string_view name) const;
    std::int64_t required_integer(std::string_view name) const;

    /// The node of pugixml, to traverse elements of any name.
    pugi::xml_node node() const noexcept { return node_; }

    /// For messages: "DescribeAutoScalingGroupsResult/AutoScalingGroups/member[3]". Items are
    /// counted from 1. The root is left out if it wraps a `<...Result>` element.
    std::string path() const;

private:
    pugi::xml_node node_{};
};

class XmlReply {
public:
    /// `unavailable`: the body is no XML, is truncated, or its root is not `<ActionResponse>`.
    /// Invalid UTF-8 bytes are replaced.
    static Result<XmlReply> parse(std::string body, std::string_view action);

    /// The element with the answer: `<ActionResult>` in the query protocol; `<ActionResponse>` in
    /// the ec2 protocol and if the answer is empty.
    XmlElement result() const;

private:
    pugi::xml_document document_{};
    std::string result_{};
};

}  // namespace capstan::aws
