#include "kubernetes/client/watch/reflector_requests.hpp"

#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

ApiRequest base_request(const WatchTarget& what, Duration timeout) {
    return {
        .path = what.path, .query = what.selectors, .timeout = timeout, .purpose = what.purpose};
}

void add_watch(ApiRequest& to, std::chrono::seconds timeout) {
    to.query.emplace_back("watch", "true");
    to.query.emplace_back("allowWatchBookmarks", "true");
    to.query.emplace_back("timeoutSeconds", std::to_string(timeout.count()));
}

}  // namespace

WatchTarget watch_target(const ApiResource& kind, std::string_view field_selector) {
    WatchTarget out{.name = std::string(kind.plural), .path = path_of(kind), .resource = kind};
    if (!field_selector.empty()) out.selectors.emplace_back("fieldSelector", field_selector);
    return out;
}

ApiRequest list_request(const WatchTarget& what, ListFrom from, const std::string& version,
                        const std::string& next, std::int64_t page) {
    // A server may need long to collect a large list before it sends the first byte.
    ApiRequest out = base_request(what, std::chrono::seconds(60));
    const bool is_since = from == ListFrom::last_seen && !version.empty();
    if (!next.empty()) {
        out.query.emplace_back("continue", next);
    } else if (from == ListFrom::cache) {
        out.query.emplace_back("resourceVersion", "0");
    } else if (is_since) {
        out.query.emplace_back("resourceVersion", version);
    }
    // With both a version and a limit, a server reads its database instead of its cache.
    if (!is_since && from != ListFrom::newest_whole)
        out.query.emplace_back("limit", std::to_string(page));
    return out;
}

ApiRequest version_request(const WatchTarget& what) {
    ApiRequest out = list_request(what, ListFrom::newest, {}, {}, 1);
    out.purpose = version_check_purpose;
    return out;
}

ApiRequest watch_request(const WatchTarget& what, const std::string& version,
                         std::chrono::seconds timeout) {
    ApiRequest out = base_request(what, std::chrono::seconds(30));
    add_watch(out, timeout);
    out.query.emplace_back("resourceVersion", version);
    return out;
}

ApiRequest watch_list_request(const WatchTarget& what, const std::string& version,
                              std::chrono::seconds timeout) {
    ApiRequest out = base_request(what, std::chrono::seconds(30));
    add_watch(out, timeout);
    out.query.emplace_back("sendInitialEvents", "true");
    out.query.emplace_back("resourceVersionMatch", "NotOlderThan");
    if (!version.empty()) out.query.emplace_back("resourceVersion", version);
    return out;
}

}  // namespace capstan::kubernetes::client
