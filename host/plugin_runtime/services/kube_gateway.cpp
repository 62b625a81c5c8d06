#include "plugin_runtime/services/kube_gateway.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "kubernetes/client/api_status.hpp"

namespace capstan::plugin_runtime::services {

Error DeferredApiClient::not_connected() {
    return {ErrorCode::unavailable, "not connected to a cluster yet"};
}

void DeferredApiClient::disconnect() {
    kubernetes::client::Api* const api = std::exchange(api_, nullptr);
    for (auto& [key, open] : std::exchange(open_, {})) {
        api->cancel(open.id);
        later(std::move(open.done),
              {ErrorCode::cancelled, "the connection to the cluster is being closed"});
    }
}

kubernetes::client::Api::RequestId DeferredApiClient::send(kubernetes::client::ApiRequest request,
                                                           Done done) {
    if (auto why = find_obstacle(request)) return refuse(request, std::move(done), *std::move(why));
    guard(request);
    const RequestId key = ++last_;
    open_[key].done = std::move(done);
    open_[key].id = api_->send(std::move(request), finish_with(key));
    return key;
}

kubernetes::client::Api::RequestId DeferredApiClient::stream(kubernetes::client::ApiRequest request,
                                                             Part on_part, Done done) {
    if (auto why = find_obstacle(request)) return refuse(request, std::move(done), *std::move(why));
    guard(request);
    const RequestId key = ++last_;
    open_[key].done = std::move(done);
    // A stream that was open at `disconnect` delivers no further part.
    const auto report = [this, key, on_part = std::move(on_part)](std::string_view part) {
        if (open_.contains(key)) on_part(part);
    };
    open_[key].id = api_->stream(std::move(request), report, finish_with(key));
    return key;
}

kubernetes::client::Api::Done DeferredApiClient::finish_with(RequestId key) {
    return [this, key](Result<kubernetes::client::ApiReply> reply) {
        auto found = open_.extract(key);
        if (!found.empty()) found.mapped().done(std::move(reply));
    };
}

void DeferredApiClient::cancel(RequestId id) {
    const auto at = open_.find(id);
    if (at != open_.end()) api_->cancel(at->second.id);
}

std::optional<Error> DeferredApiClient::find_obstacle(
    const kubernetes::client::ApiRequest& request) const {
    if (api_ == nullptr) return not_connected();
    const Result<void> may = ask_gates(request);
    return may ? std::nullopt : std::optional(within("not sent", may.error()));
}

Result<void> DeferredApiClient::ask_gates(const kubernetes::client::ApiRequest& request) const {
    if (kubernetes::client::is_question(request)) return {};
    if (gate_) CAPSTAN_CHECK(gate_());
    return request.may_send ? request.may_send() : Result<void>();
}

/// Has the gate asked again when the request leaves: it may wait for its turn or be retried.
void DeferredApiClient::guard(kubernetes::client::ApiRequest& request) const {
    if (!gate_ || kubernetes::client::is_question(request)) return;
    request.may_send = [gate = gate_, own = std::move(request.may_send)]() -> Result<void> {
        CAPSTAN_CHECK(gate());
        return own ? own() : Result<void>();
    };
}

kubernetes::client::Api::RequestId DeferredApiClient::refuse(
    const kubernetes::client::ApiRequest& request, Done done, Error why) {
    later(std::move(done), within(request.method + " " + request.path, std::move(why)));
    return ++last_;
}

void DeferredApiClient::later(Done done, Error error) {
    boost::asio::post(loop_.io(), [done = std::move(done), error = std::move(error)] {
        done(capstan::fail(error));
    });
}

StartupWatches::Id StartupWatches::add(std::string what, std::function<void()> begin) {
    unsettled_.emplace(++last_, Watch{std::move(what), std::move(begin)});
    return last_;
}

void StartupWatches::begin() {
    std::vector<std::function<void()>> waiting;
    for (auto& [id, watch] : unsettled_)
        if (auto begin = std::exchange(watch.begin, nullptr)) waiting.push_back(std::move(begin));
    for (const auto& begin : waiting) begin();
}

void StartupWatches::settle(Id id) { unsettled_.erase(id); }

std::vector<std::string> StartupWatches::unsettled() const {
    std::vector<std::string> out;
    for (const auto& [id, watch] : unsettled_) out.push_back(watch.what);
    return out;
}

}  // namespace capstan::plugin_runtime::services
