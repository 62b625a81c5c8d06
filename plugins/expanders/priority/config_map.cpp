#include "config_map.hpp"

#include <chrono>
#include <tuple>
#include <utility>

#include "config_yaml.hpp"

namespace capstan::expanders {
namespace {

std::string grant_for(const ConfigMapName& name) {
    return "grants = { kube = [\"configmaps:list,watch@" + name.ns + "\"] }";
}

Unexpected not_there() { return fail(ErrorCode::not_found, "does not exist"); }

Result<std::string> document_of(const Json& config_map) {
    const Json* document = config_map.find({"data", "priorities"});
    if (document == nullptr || !document->is_text())
        return fail(ErrorCode::invalid_config, "has no string under the key priorities");
    return document->text();
}

/// How long `check` waits for the API server's first answer.
constexpr int answer_rounds = 50;
constexpr auto answer_pause = std::chrono::milliseconds(100);

}  // namespace

FollowedConfigMap::FollowedConfigMap(const Host& host, ConfigMapName name, OnTiers on_tiers)
    : host_(host),
      name_(std::move(name)),
      title_("ConfigMap " + name_.ns + "/" + name_.name),
      on_tiers_(std::move(on_tiers)) {
    if (host_.service<capstan_kube>(CAPSTAN_SERVICE_KUBE) != nullptr) return;
    throw Failure(ErrorCode::permission, "config_map: to watch " + title_ + " add " +
                                             grant_for(name_) + " to plugin." +
                                             std::string(host_.instance_id()));
}

Task<void> FollowedConfigMap::start() {
    KubeSelection selection(KubeResource("", "v1", "configmaps", "ConfigMap"), name_.ns);
    selection.field_selector = "metadata.name=" + name_.name;
    watch_.emplace(host_, selection, [this](const KubeEvent& event) { handle_event(event); });
    // A refusal of the host itself has arrived by then.
    co_await sleep_for(host_, std::chrono::milliseconds(1));
    if (!watch_ || watch_->has_ended()) throw Failure(refusal());
}

Task<void> FollowedConfigMap::check() {
    for (int round = 0; !known_ && round < answer_rounds; ++round)
        co_await sleep_for(host_, answer_pause);
    if (!known_) throw Failure(refusal());
    if (!is_there_)
        throw Failure(ErrorCode::not_found, title_ + " does not exist; " + what_now() +
                                                "; create it: kubectl -n " + name_.ns +
                                                " create configmap " + name_.name +
                                                " --from-file=priorities=FILE");
    if (!*known_)
        throw Failure(ErrorCode::invalid_config, title_ + " " + (*known_).error().message);
    if (const Result<Tiers> tiers = parse_priorities_yaml(**known_); !tiers)
        throw Failure(ErrorCode::invalid_config,
                      title_ + ", key priorities: " + tiers.error().message);
}

Error FollowedConfigMap::refusal() const {
    Error out = trouble_.value_or(Error{ErrorCode::unavailable, "the watch has ended"});
    out.message = "config_map: " + title_ + " cannot be watched: " + out.message;
    if (out.code == ErrorCode::permission) out.message += "; add " + grant_for(name_);
    if (out.code == ErrorCode::unsupported)
        out.message += "; set `yaml` to its content instead of `config_map`";
    return out;
}

void FollowedConfigMap::handle_event(const KubeEvent& event) {
    if (event.type == KubeEvent::Type::trouble)
        return report_trouble(event.error != nullptr ? from_abi(*event.error) : Error{});
    trouble_.reset();
    if (event.type == KubeEvent::Type::synced) {
        if (!is_there_) take(not_there());
        return;
    }
    is_there_ = event.type != KubeEvent::Type::deleted;
    const Result<Json> object = parse_json(event.object);
    if (object) uid_ = object->text_at({"metadata", "uid"});
    if (!is_there_) return take(not_there());
    take(object ? document_of(*object) : fail(object.error()));
}

/// Warns, except when the host is not connected yet, or is no longer connected.
void FollowedConfigMap::report_trouble(const Error& why) {
    const bool is_early = !known_ && !trouble_ && why.code == ErrorCode::unavailable;
    const bool is_news = !is_early && why.code != ErrorCode::cancelled;
    if (!trouble_ || trouble_->message != why.message)
        host_.log(is_news ? CAPSTAN_LOG_WARN : CAPSTAN_LOG_DEBUG,
                  title_ + " cannot be watched: " + why.message + "; " + what_now());
    trouble_ = why;
}

/// Ignores a new version of the ConfigMap with the same document, such as one with a new label.
void FollowedConfigMap::take(Result<std::string> document) {
    if (known_ && *known_ == document) return;
    known_ = std::move(document);
    if (!*known_) return complain((*known_).error().message);
    Result<Tiers> tiers = parse_priorities_yaml(**known_);
    if (!tiers) return complain("key priorities: " + tiers.error().message);
    has_been_good_ = true;
    host_.info(title_ + ": priorities loaded");
    on_tiers_(*std::move(tiers));
}

void FollowedConfigMap::complain(const std::string& why) {
    const std::string message = why + "; " + what_now();
    host_.warn(title_ + ": " + message);
    const KubeReference about{
        .api_version = "v1", .kind = "ConfigMap", .ns = name_.ns, .name = name_.name, .uid = uid_};
    // Events are often not granted; the log has the message in any case.
    std::ignore = record(host_, about, true, "PriorityConfigMapInvalid", message);
}

std::string FollowedConfigMap::what_now() const {
    return has_been_good_ ? "the last valid priorities stay in use" : "all options are kept";
}

}  // namespace capstan::expanders
