/// The requests by which a kind is followed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {

/// A collection that is followed.
struct Followed {
    std::string name{};                 ///< as messages have it: "pods"
    std::string path{};                 ///< percent-encoded; see paths.hpp
    ApiRequest::Query selectors{};      ///< of every list and watch
    std::string purpose = "reflector";  ///< as ApiRequest has it
};
/// All objects of a kind, in all namespaces. `field_selector` empty: without one.
Followed followed(const ApiResource& kind, std::string_view field_selector = {});

/// How new a list has to be.
enum class ListFrom : std::uint8_t {
    cache,         ///< whatever the server has at hand
    last_seen,     ///< not older than what was seen
    newest,        ///< as of now, page by page
    newest_whole,  ///< as of now, in one piece, which no page can outlive
};

/// `version`: the last one seen. `next`: the token of the page; empty: the first one.
ApiRequest list_request(const Followed& what, ListFrom from, const std::string& version,
                        const std::string& next, std::int64_t page);
/// What happens after `version`, with bookmarks.
ApiRequest watch_request(const Followed& what, const std::string& version,
                         std::chrono::seconds timeout);
/// All objects, a bookmark that says so, and what happens then. `version`: not older than; empty:
/// as of now.
ApiRequest watch_list_request(const Followed& what, const std::string& version,
                              std::chrono::seconds timeout);

}  // namespace capstan::kubernetes::client
