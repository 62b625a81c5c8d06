#include <algorithm>
#include <charconv>

#include <boost/json/serialize.hpp>

#include "simulator/api_server/api_call.hpp"
#include "simulator/api_server/custom_kinds.hpp"
#include "simulator/api_server/tables.hpp"

namespace capstan::simulator::api_server {

// GET of one object and of lists.

namespace {

RowObject row_object(const ApiRequest& request) {
    const std::string_view include = request.option("includeObject");
    if (include == "None") return RowObject::none;
    return include == "Object" ? RowObject::object : RowObject::metadata;
}

/// A continue token.
struct Page {
    std::uint64_t revision = 0;  ///< of the list; zero: the list as it is when the page is read
    std::string after{};         ///< the last key of the page before
};

std::string page_text(const Page& page) { return std::to_string(page.revision) + ":" + page.after; }

Answer<Page> parse_page(std::string_view text) {
    Page out;
    const std::size_t colon = text.find(':');
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.revision);
    if (colon == std::string_view::npos || error != std::errc() || end != text.data() + colon)
        return fail(bad_request("continue key is not valid: " + std::string(text)));
    out.after = text.substr(colon + 1);
    return out;
}

Answer<Listing> continued(const ApiCall& call, const Page& page) {
    if (page.revision == 0) return call.store.list(call.kind, call.request.space);
    auto out = call.store.list_at(call.kind, call.request.space, page.revision);
    if (out || out.error().code != 410) return out;
    StatusError refusal = expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter, or use the continue token in this "
        "response to retrieve the remainder of the results.");
    refusal.next_continue = page_text({0, page.after});
    return fail(std::move(refusal));
}

/// The current list, or with resourceVersionMatch=Exact the list as of resourceVersion.
Answer<Listing> listing(const ApiCall& call) {
    const std::string_view match = call.request.option("resourceVersionMatch");
    CAPSTAN_TRY(const std::uint64_t revision,
                parse_revision(call.request.option("resourceVersion")));
    if (match == "Exact") return call.store.list_at(call.kind, call.request.space, revision);
    if (revision > call.store.revision()) return fail(too_large(revision, call.store.revision()));
    return call.store.list(call.kind, call.request.space);
}

struct ListPage {
    std::vector<ApiObject> items{};
    json::object metadata{};  ///< of the list
};

/// One page of the objects that the request selects.
Answer<ListPage> read_page(const ApiCall& call, const ObjectQuery& query) {
    const std::string_view token = call.request.option("continue");
    Page page;
    if (!token.empty()) {
        CAPSTAN_TRY(page, parse_page(token));
    }
    CAPSTAN_TRY(const Listing all, token.empty() ? listing(call) : continued(call, page));
    CAPSTAN_TRY(std::uint64_t limit, parse_revision(call.request.option("limit")));
    // A list of resourceVersion 0 comes from the watch cache, which ignores the limit.
    if (call.request.option("resourceVersion") == "0") limit = 0;
    ListPage out;
    out.metadata["resourceVersion"] = std::to_string(all.revision);
    auto at = std::ranges::partition_point(all.items, [&](const ApiObject& object) {
        return !page.after.empty() && object_key(*object) <= page.after;
    });
    const auto next = [&] {
        at = std::find_if(at, all.items.end(), [&](const ApiObject& o) { return query.has(*o); });
        return at != all.items.end();
    };
    while (next() && (limit == 0 || out.items.size() < limit))
        out.items.push_back(in_version(call.kind, *at++));
    if (at == all.items.end()) return out;
    out.metadata["continue"] = page_text({all.revision, object_key(*out.items.back())});
    if (query.is_empty()) out.metadata["remainingItemCount"] = all.items.end() - at;
    return out;
}

std::string list_text(const ResourceKind& kind, const Accepted& accepted, const ListPage& page) {
    const bool is_partial = accepted.form == Form::metadata;
    const std::string version = is_partial ? "meta.k8s.io/" + accepted.version : kind.api_version();
    std::string out = R"({"kind":")" + (is_partial ? "PartialObjectMetadata" : kind.kind) +
                      R"(List","apiVersion":")" + version + R"(","metadata":)" +
                      json::serialize(page.metadata) + R"(,"items":[)";
    bool is_first = true;
    for (const ApiObject& object : page.items) {
        if (!std::exchange(is_first, false)) out += ',';
        out += is_partial ? json::serialize(metadata_of(*object, accepted.version))
                          : json::serialize(*object);
    }
    return out + "]}\n";
}

}  // namespace

Answer<ObjectQuery> parse_object_query(const ResourceKind& kind, const ApiRequest& request) {
    ObjectQuery out;
    CAPSTAN_TRY(out.labels, parse_label_query(request.option("labelSelector")));
    CAPSTAN_TRY(out.fields, parse_field_query(kind, request.option("fieldSelector")));
    if (!request.name.empty()) out.fields.push_back({"metadata.name", request.name, true});
    return out;
}

ApiObject in_version(const ResourceKind& kind, const ApiObject& object) {
    if (text_at(*object, "apiVersion") == kind.api_version()) return object;
    json::object out = kind.is_custom ? *object : autoscaler_as_v1(*object);
    out["apiVersion"] = kind.api_version();
    return std::make_shared<const json::object>(std::move(out));
}

const ResourceKind& storage_kind(const ApiCall& call) {
    return call.kind.is_custom ? call.kind : call.store.kind(call.kind.resource());
}

json::object to_storage_version(const ApiCall& call, json::object object) {
    const std::string_view written = text_at(object, "apiVersion");
    const bool is_storage_version = &storage_kind(call) == &call.kind ||
                                    (!written.empty() && written != call.kind.api_version());
    return is_storage_version ? std::move(object) : autoscaler_as_v2(std::move(object));
}

HttpReply object_reply(const ApiCall& call, const ApiObject& object, int status) {
    const Accepted& accepted = call.request.accepted;
    const ApiObject versioned = in_version(call.kind, object);
    if (accepted.form == Form::table) {
        json::object metadata{
            {"resourceVersion", json_view(text_at(*object, "metadata.resourceVersion"))}};
        return json_reply(status,
                          make_table(call.kind, {versioned}, std::move(metadata), accepted.version,
                                     row_object(call.request), call.store.now()));
    }
    if (accepted.form == Form::metadata)
        return json_reply(status, metadata_of(*versioned, accepted.version));
    return json_reply(status, *versioned);
}

Answer<HttpReply> serve_get(const ApiCall& call) {
    CAPSTAN_TRY(const ApiObject found,
                call.store.get(call.kind, call.request.space, call.request.name));
    return object_reply(call, found);
}

Answer<HttpReply> serve_list(const ApiCall& call) {
    CAPSTAN_TRY(const ObjectQuery query, parse_object_query(call.kind, call.request));
    CAPSTAN_TRY(ListPage page, read_page(call, query));
    const Accepted& accepted = call.request.accepted;
    if (accepted.form == Form::table)
        return json_reply(
            200, make_table(call.kind, page.items, std::move(page.metadata), accepted.version,
                            row_object(call.request), call.store.now()));
    HttpReply out = text_reply(200, list_text(call.kind, accepted, page));
    out.headers = {{"content-type", "application/json"}};
    return out;
}

HttpReply json_reply(int status, const json::object& body) {
    return {status, {{"content-type", "application/json"}}, json::serialize(body) + "\n"};
}

HttpReply text_reply(int status, std::string body) {
    return {status, {{"content-type", "text/plain; charset=utf-8"}}, std::move(body)};
}

HttpReply refusal_reply(const StatusError& refusal) {
    HttpReply out = json_reply(refusal.code, status_object(refusal));
    if (refusal.retry_after_s)
        out.headers.emplace_back("retry-after", std::to_string(*refusal.retry_after_s));
    return out;
}

json::object success(const ResourceKind& kind, const json::object& object) {
    json::object details{{"name", json_view(name_of(object))},
                         {"kind", kind.plural},
                         {"uid", json_view(uid_of(object))}};
    if (!kind.group.empty()) details["group"] = kind.group;
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", json::object()},
            {"status", "Success"},
            {"details", std::move(details)}};
}

}  // namespace capstan::simulator::api_server
