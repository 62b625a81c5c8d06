/// Writes HTML and SVG that is well-formed XML, so an XML parser and a browser read it in the same
/// way.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::simulator::page {

/// The text with entities, fit for use between tags and in an attribute. Control characters and
/// broken UTF-8 become U+FFFD; line breaks stay line breaks.
std::string escaped(std::string_view text);

/// A coordinate in a drawing, rounded to a tenth: "12.3".
std::string coordinate(double value);

class Markup {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    Markup& open(std::string_view name, Attributes attributes = {});
    /// Closes the element that was opened last. One must be open.
    Markup& close();
    Markup& text(std::string_view text);
    /// `<name ...>text</name>`
    Markup& leaf(std::string_view name, std::string_view text, Attributes attributes = {});
    /// `<name .../>`: SVG elements, and HTML elements that never have content, such as meta.
    Markup& empty(std::string_view name, Attributes attributes = {});
    /// Writes trusted markup without escaping.
    Markup& raw(std::string_view markup);

    /// Closes all open elements and returns the document.
    std::string take();

private:
    void start(std::string_view name, Attributes attributes);
    std::string out_;
    std::vector<std::string> open_;
};

}  // namespace capstan::simulator::page
