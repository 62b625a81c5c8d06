/// A run to draw, and the parsed page.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "simulator/page/page.hpp"

namespace capstan::simulator::page {

using namespace std::chrono_literals;

/// A report and a history of one hour.
struct PageCase {
    Report report{.title = "a scenario", .seed = 7, .summary = {.span = 1h, .passes = 3}};
    History history{.end = 1h};

    /// Adds a group with one level: `target` nodes, all ready.
    GroupHistory& group(const std::string& id, int target = 0) {
        GroupHistory& out = history.groups[id];
        out.levels = {{0s, {.target = target, .ready = target}}};
        return out;
    }
    Event& event(Duration at, EventKind kind, std::string text, std::string because = {},
                 std::string subject = {}) {
        report.events.push_back({.at = at,
                                 .kind = kind,
                                 .text = std::move(text),
                                 .because = std::move(because),
                                 .subject = std::move(subject)});
        return report.events.back();
    }
    std::string html() const { return make_page(report, "scenario.toml", history); }
};

/// The page, parsed as XML.
class ReadPage {
public:
    explicit ReadPage(const std::string& html) {
        const auto parsed = page_.load_string(html.c_str(), pugi::parse_default);
        EXPECT_TRUE(parsed) << parsed.description() << " at " << parsed.offset << ": "
                            << html.substr(static_cast<std::size_t>(parsed.offset), 200);
    }
    /// The texts of the elements or attributes that an XPath selects.
    std::vector<std::string> texts(const std::string& path) const {
        std::vector<std::string> out;
        for (const auto& found : page_.select_nodes(path.c_str()))
            out.push_back(found.attribute() ? found.attribute().value()
                                            : found.node().text().get());
        return out;
    }
    std::size_t count(const std::string& path) const {
        return page_.select_nodes(path.c_str()).size();
    }

private:
    pugi::xml_document page_;
};

/// The XPath of the strip with this heading.
inline std::string strip(const std::string& heading) {
    return "//section[header/h3='" + heading + "']";
}

}  // namespace capstan::simulator::page
