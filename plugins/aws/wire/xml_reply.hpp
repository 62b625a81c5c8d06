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

/// One element. An absent one is empty: each of its values is absent, too. Valid as long as its
/// XmlReply.
class XmlElement {
public:
    XmlElement() = default;
    explicit XmlElement(pugi::xml_node node) : node_(node) {}

    explicit operator bool() const noexcept { return static_cast<bool>(node_); }
    /// The first child of that name.
    XmlElement child(std::string_view name) const;
    /// The children of a list: `<member>` of the query protocol, `<item>` of ec2's.
    std::vector<XmlElement> items(std::string_view list) const;

    /// Empty: absent or empty.
    std::string text(std::string_view name) const;
    std::string text() const;
    /// Nothing: absent or empty. A value that is not of the type throws a Failure (`unavailable`)
    /// that names the element's path and its text.
    std::optional<std::int64_t> integer(std::string_view name) const;
    std::optional<double> number(std::string_view name) const;
    std::optional<bool> boolean(std::string_view name) const;
    std::optional<Time> time(std::string_view name) const;
    /// As the above, but what is absent or empty throws, too.
    std::string required_text(std::string_view name) const;
    std::int64_t required_integer(std::string_view name) const;

    /// What it stands for, for what walks elements of any name.
    pugi::xml_node node() const noexcept { return node_; }

    /// "DescribeAutoScalingGroupsResult/AutoScalingGroups/member[3]": without the root where the
    /// answer stands below it, and counted from one.
    std::string path() const;

private:
    pugi::xml_node node_{};
};

class XmlReply {
public:
    /// An error (`unavailable`): it is no XML, is cut off, or has another root than an answer has.
    /// Bytes that are no UTF-8 are question marks afterwards.
    static Result<XmlReply> parse(std::string body, std::string_view action);

    /// The element that holds the answer: `<ActionResult>` of the query protocol,
    /// `<ActionResponse>` of ec2's and of an action that answers nothing.
    XmlElement result() const;

private:
    pugi::xml_document document_{};
    std::string result_{};
};

}  // namespace capstan::aws
