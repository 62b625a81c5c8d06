/// A run to be drawn, for tests that name only what they are about, and the page read again.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "simulation/page/page.hpp"

namespace capstan::simulation::page {

using namespace std::chrono_literals;

/// An hour. A story, and what passes saw.
struct PageCase {
    Report report{.title = "a story", .seed = 7, .summary = {.span = 1h, .passes = 3}};
    History history{.end = 1h};

    /// Its only level, with as many nodes ready as its target.
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
    std::string html() const { return make_page(report, "story.toml", history); }
};

/// The page as an XML parser reads it.
class ReadPage {
public:
    explicit ReadPage(const std::string& html) {
        const auto parsed = page_.load_string(html.c_str(), pugi::parse_default);
        EXPECT_TRUE(parsed) << parsed.description() << " at " << parsed.offset << ": "
                            << html.substr(static_cast<std::size_t>(parsed.offset), 200);
    }
    /// What stands in the elements that an XPath names.
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

/// The XPath of the strip with that heading.
inline std::string strip(const std::string& heading) {
    return "//section[header/h3='" + heading + "']";
}

}  // namespace capstan::simulation::page
