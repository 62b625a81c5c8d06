/// Writes elements that an XML parser and a browser read alike.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::simulation::page {

/// As it may stand between tags and in an attribute. What no page may hold, control characters and
/// broken UTF-8, becomes U+FFFD; lines stay apart.
std::string escaped(std::string_view text);

/// A place on a page: "12.3"; to a tenth.
std::string coordinate(double value);

class Markup {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    Markup& open(std::string_view name, Attributes attributes = {});
    Markup& close();  ///< what was opened last; there is something
    Markup& text(std::string_view text);
    /// `<name ...>text</name>`
    Markup& leaf(std::string_view name, std::string_view text, Attributes attributes = {});
    /// `<name .../>`: of HTML only meta and the like may be so.
    Markup& empty(std::string_view name, Attributes attributes = {});
    /// As it stands: our own.
    Markup& raw(std::string_view markup);

    /// What is still open is closed.
    std::string take();

private:
    void start(std::string_view name, Attributes attributes);
    std::string out_;
    std::vector<std::string> open_;
};

}  // namespace capstan::simulation::page
