/// The list and watch requests of a reflector.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {

/// A collection to list and watch.
struct WatchTarget {
    std::string name{};                 ///< for messages: "pods"
    std::string path{};                 ///< percent-encoded; see paths.hpp
    ApiRequest::Query selectors{};      ///< of each list and watch
    std::string purpose = "reflector";  ///< ApiRequest::purpose
    /// What the objects have to be: other lists and events are errors. Absent: anything.
    std::optional<ApiResource> resource{};
};
/// All objects of a kind, in all namespaces. An empty `field_selector` matches all objects.
WatchTarget watch_target(const ApiResource& kind, std::string_view field_selector = {});

/// How recent a list has to be.
enum class ListFrom : std::uint8_t {
    cache,         ///< any version in the server's cache
    last_seen,     ///< not older than the last version seen
    newest,        ///< the newest version, page by page
    newest_whole,  ///< the newest version in one reply, so that no page's token can expire
};

/// `version` is the last one seen. `next` is the continue token of the page; empty: the first page.
ApiRequest list_request(const WatchTarget& what, ListFrom from, const std::string& version,
                        const std::string& next, std::int64_t page);
/// One object of the newest version, for the version alone.
ApiRequest version_request(const WatchTarget& what);
/// The changes after `version`, with bookmarks.
ApiRequest watch_request(const WatchTarget& what, const std::string& version,
                         std::chrono::seconds timeout);
/// A streaming list: all objects as ADDED events, a bookmark at their end, and then the changes.
/// The objects are not older than `version`; an empty one asks for the newest.
ApiRequest watch_list_request(const WatchTarget& what, const std::string& version,
                              std::chrono::seconds timeout);

}  // namespace capstan::kubernetes::client
