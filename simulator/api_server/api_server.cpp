#include "simulator/api_server/api_server.hpp"

#include <utility>

#include <boost/json/serialize.hpp>

#include <capstan/time_text.hpp>

#include "simulator/api_server/api_call.hpp"

namespace capstan::simulator::api_server {
namespace {

StatusError unserved(const ApiRequest& request) {
    return {404,
            "NotFound",
            "the server could not find the requested resource",
            {{"path", request.path}},
            {},
            {}};
}

StatusError method_not_allowed(const ApiRequest& request) {
    return {405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            {{"path", request.path}},
            {},
            {}};
}

Answer<KindPtr> served_kind(const ObjectStore& store, const ApiRequest& request) {
    KindPtr kind = store.kinds().find(request.group, request.version, request.plural);
    if (kind == nullptr || (!kind->namespaced && !request.space.empty()))
        return fail(unserved(request));
    return kind;
}

Answer<HttpReply> serve_resource(const ApiCall& call) {
    const std::string& verb = call.request.verb;
    if (verb == "get") return serve_get(call);
    if (verb == "list") return serve_list(call);
    if (verb == "create" && call.request.name.empty()) return serve_create(call);
    if (verb == "update" && !call.request.name.empty()) return serve_update(call);
    if (verb == "patch" && !call.request.name.empty()) return serve_patch(call);
    if (verb == "delete") return serve_delete(call);
    if (verb == "deletecollection") return serve_collection_delete(call);
    return fail(method_not_allowed(call.request));
}

Answer<HttpReply> serve_status(const ApiCall& call) {
    const std::string& verb = call.request.verb;
    if (verb == "get") return serve_get(call);
    if (verb == "update") return serve_update(call);
    return verb == "patch" ? serve_patch(call) : fail(method_not_allowed(call.request));
}

Answer<HttpReply> serve_subresource(const ApiCall& call) {
    const std::string& sub = call.request.subresource;
    const bool is_pod = call.kind.resource() == "pods", creates = call.request.verb == "create";
    if (sub == "status" && call.kind.has_status) return serve_status(call);
    if (sub == "scale" && call.kind.scale)
        return creates ? Answer<HttpReply>(fail(method_not_allowed(call.request)))
                       : serve_scale(call);
    if (is_pod && sub == "eviction" && creates) return serve_eviction(call);
    if (is_pod && sub == "binding" && creates) return serve_binding(call);
    if (is_pod && sub == "log" && call.request.verb == "get") return serve_log(call);
    if (is_pod && (sub == "exec" || sub == "attach" || sub == "portforward"))
        return fail(bad_request(sub + " is not available: pod " + call.request.name +
                                " is simulated and runs no process"));
    if (call.kind.resource() == "serviceaccounts" && sub == "token" && creates)
        return serve_token(call);
    return fail(unserved(call.request));
}

/// POST .../bindings, which names its pod in the body.
bool is_binding(const ApiRequest& request) {
    return request.group.empty() && request.version == "v1" && request.plural == "bindings" &&
           request.verb == "create";
}

/// The page of a broken proxy, instead of an answer.
constexpr const char* garbage = "<html><body>Bad gateway</body></html>";

void send_corrupted(ResponseCorruption spoil, HttpReply reply, const io::Responder& responder) {
    switch (spoil) {
        case ResponseCorruption::none: return responder.send(std::move(reply));
        case ResponseCorruption::garbage:
            return responder.send({200, {{"content-type", "text/html"}}, garbage});
        case ResponseCorruption::silence:
            // The callback holds the responder for as long as the peer waits.
            return responder.when_closed([responder] {});
        case ResponseCorruption::other_kind:
        case ResponseCorruption::nameless:
            reply.body = json::serialize(odd_object(spoil, "List"));
            return responder.send(std::move(reply));
        case ResponseCorruption::half:
        case ResponseCorruption::torn: break;
    }
    reply.body.resize(reply.body.size() / 2);
    if (spoil == ResponseCorruption::half) return responder.send(std::move(reply));
    responder.begin(std::move(reply));
    responder.cut();
}

}  // namespace

ApiServer::ApiServer(ObjectStore& store, Options options)
    : store_(store),
      options_(std::move(options)),
      custom_kinds_(store),
      watches_(store, options_.watches) {}

ApiServer::~ApiServer() {
    *alive_ = false;
    http_.reset();
}

Result<void> ApiServer::listen() {
    io::HttpServer::Options options;
    options.address = options_.address;
    options.port = options_.port;
    // A watch begins with all objects at once, and there may be hundreds of thousands.
    options.max_unsent = std::size_t{1} << 30;
    CAPSTAN_TRY(http_, io::HttpServer::listen(
                           store_.loop().io(), options,
                           [this](const io::ServedRequest& request,
                                  const io::Responder& responder) { handle(request, responder); }));
    return {};
}

std::uint16_t ApiServer::port() const noexcept { return http_ == nullptr ? 0 : http_->port(); }

std::string ApiServer::url() const {
    const bool is_v6 = options_.address.find(':') != std::string::npos;
    return "http://" + (is_v6 ? "[" + options_.address + "]" : options_.address) + ":" +
           std::to_string(port());
}

std::string ApiServer::kubeconfig() const {
    // JSON is YAML, too.
    const json::object cluster{{"name", "capstan"}, {"cluster", json::object{{"server", url()}}}};
    const json::object user{{"name", "capstan"}, {"user", json::object()}};
    const json::object context{
        {"name", "capstan"},
        {"context", json::object{{"cluster", "capstan"}, {"user", "capstan"}}}};
    return json::serialize(json::object{{"kind", "Config"},
                                        {"apiVersion", "v1"},
                                        {"current-context", "capstan"},
                                        {"clusters", json::array{cluster}},
                                        {"users", json::array{user}},
                                        {"contexts", json::array{context}}}) +
           "\n";
}

void ApiServer::handle(const io::ServedRequest& served, const io::Responder& responder) {
    auto parsed = parse_request(served);
    if (!parsed) return responder.send(refusal_reply(parsed.error()));
    const bool is_own = parsed->path.starts_with("/capstan/");
    const auto fault = is_own ? std::nullopt : faults_.take(*parsed);
    std::optional<HttpReply> reply;
    if (fault && fault->is_carried_out && parsed->verb != "watch") reply = reply_to(*parsed);
    if (!fault || fault->delay == Duration(0))
        return conclude(*parsed, responder, fault, std::move(reply));
    store_.loop().after(fault->delay, [this, alive = alive_, request = std::move(*parsed),
                                       responder, fault, reply = std::move(reply)] {
        if (*alive) conclude(request, responder, fault, reply);
    });
}

std::optional<HttpReply> ApiServer::answer(const io::ServedRequest& served) {
    const auto parsed = parse_request(served);
    if (!parsed) return refusal_reply(parsed.error());
    if (parsed->verb == "watch") return std::nullopt;
    return reply_to(*parsed);
}

void ApiServer::conclude(const ApiRequest& request, const io::Responder& responder,
                         const std::optional<ApiFault>& fault, std::optional<HttpReply> reply) {
    const bool is_watch = request.verb == "watch";
    const bool begins_well = is_watch && fault && fault->after_events;
    if (fault && !begins_well && fault->cuts) return responder.cut();
    if (fault && !begins_well && fault->status != 0)
        return responder.send(refusal_reply(refusal_of(*fault, request)));
    if (is_watch) {
        const auto opened = watch(request, responder, fault);
        return opened ? void() : responder.send(refusal_reply(opened.error()));
    }
    if (!reply) reply = reply_to(request);
    send_corrupted(fault ? fault->spoil : ResponseCorruption::none, *std::move(reply), responder);
}

Answer<void> ApiServer::watch(const ApiRequest& request, const io::Responder& responder,
                              const std::optional<ApiFault>& fault) {
    CAPSTAN_TRY(const KindPtr kind, served_kind(store_, request));
    return watches_.open(kind, request, responder, fault);
}

HttpReply ApiServer::reply_to(const ApiRequest& request) {
    HttpReply out = find_reply(request);
    // Clients compare it with their own clock.
    out.headers.emplace_back("date", format_http_date(store_.now()));
    return out;
}

HttpReply ApiServer::find_reply(const ApiRequest& request) {
    if (auto document = serve_document(request)) return std::move(*document);
    if (request.path.starts_with("/capstan/faults")) return serve_faults(request);
    if (auto review = serve_review(request)) return std::move(*review);
    auto served = serve_object(request);
    return served ? std::move(*served) : refusal_reply(served.error());
}

Answer<HttpReply> ApiServer::serve_object(const ApiRequest& request) {
    if (is_binding(request)) return serve_binding({store_, store_.kind("pods"), request});
    CAPSTAN_TRY(const KindPtr kind, served_kind(store_, request));
    const ApiCall call{store_, *kind, request};
    return request.subresource.empty() ? serve_resource(call) : serve_subresource(call);
}

}  // namespace capstan::simulator::api_server
