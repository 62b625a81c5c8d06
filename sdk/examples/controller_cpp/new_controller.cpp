#include "new_controller.hpp"

#include <utility>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

using namespace std::chrono_literals;
using capstan::Json;
using capstan::KubeEvent;
using capstan::KubePatch;
using capstan::KubeRequest;
using capstan::KubeResource;

void NewController::start() {
    nodes_.emplace(host_, capstan::KubeSelection(KubeResource("", "v1", "nodes", "Node", false)),
                   [this](const KubeEvent& event) { handle_event(event); });
}

void NewController::handle_event(const KubeEvent& event) {
    if (event.type == KubeEvent::Type::synced) has_seen_all_ = true;
    if (const auto node = capstan::parse_json(event.object)) {
        const std::string& name = node->text_at({"metadata", "name"});
        if (event.type == KubeEvent::Type::deleted) {
            names_.erase(name);
        } else {
            names_.insert(name);
        }
    }
    // Many changes within 500 ms lead to one reconcile.
    if (const auto asked = capstan::want_reconcile(host_, 500ms); !asked)
        host_.debug(asked.error().message);
}

capstan::Task<capstan::Reconciled> NewController::reconcile(capstan::Reconcile what) {
    capstan::Reconciled out{.objects = 1};
    if (!has_seen_all_) {
        out.summary = "waiting for the list of nodes";
        co_return out;
    }
    const std::size_t count = names_.size();
    // Another host may have written while this one was not leader.
    if (what.is_first) written_.reset();
    if (written_ != count) {
        const std::string text = std::to_string(count);
        std::string body =
            to_string(Json::object({{"apiVersion", "v1"},
                                    {"kind", "ConfigMap"},
                                    {"metadata", Json::object({{"name", "new-controller"}})},
                                    {"data", Json::object({{"nodes", text}})}}));
        KubeRequest request =
            KubeRequest::patch(KubeResource("", "v1", "configmaps", "ConfigMap"), "default",
                               "new-controller", KubePatch::apply, std::move(body));
        co_await send(host_, std::move(request));
        written_ = count;
    }
    out.summary = "counted " + capstan::counted(static_cast<std::int64_t>(count), "node");
    co_return out;
}
