#include "queue.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/wake.hpp>

#include "../wire/aws_client.hpp"

namespace capstan::aws {
namespace {

constexpr int messages_at_once = 10;  // SQS's maximum for ReceiveMessage and DeleteMessageBatch
/// How long SQS hides a received message from other consumers. It is deleted right away.
constexpr int visibility_seconds = 30;
constexpr std::chrono::minutes list_lag{10};
/// An empty answer that comes sooner than this was no long poll: the next call is delayed.
constexpr std::chrono::seconds shortest_poll{1};
constexpr std::chrono::seconds first_delay{1}, longest_delay{60};
constexpr std::size_t logged_malformed_max = 100;
constexpr const char* kept_notices_key = "notices";
constexpr std::chrono::seconds follow_check{1};
constexpr Duration follow_interval_max = std::chrono::minutes(5);

std::string sentence_of(const Notice& notice) {
    return std::string(notice.reason == LeaveReason::spot_interruption ? "spot notice"
                                                                       : name_of(notice.reason)) +
           " for " + notice.instance_id;
}

/// `{"reason": "spot_interruption", "at": "2026-01-01T00:02:00Z"}`
Json json_of_notice(const Notice& notice) {
    Json out = Json::object();
    out.set("reason", std::string(name_of(notice.reason)));
    if (notice.at) out.set("at", format_rfc3339(*notice.at));
    return out;
}

Notice kept_notice_of(const std::string& instance_id, const Json& kept) {
    using enum LeaveReason;
    Notice out{.instance_id = instance_id};
    for (const LeaveReason reason : {spot_interruption, rebalance, maintenance, expiry, unhealthy})
        if (kept.text_at({"reason"}) == name_of(reason)) out.reason = reason;
    if (const Result<Time> at = parse_rfc3339(kept.text_at({"at"}))) out.at = *at;
    return out;
}

}  // namespace

NoticeQueue::NoticeQueue(const Host& host, AwsClient& client, NoticeQueueConfig config)
    : host_(host),
      client_(client),
      config_(std::move(config)),
      background_(host),
      warnings_(host) {}

void NoticeQueue::start() { background_.spawn("notices of " + config_.url, listen()); }

std::optional<Leaving> NoticeQueue::find(std::string_view instance_id) const {
    const auto at = notices_.find(instance_id);
    if (at == notices_.end()) return std::nullopt;
    return Leaving{.reason = at->second.notice.reason, .at = at->second.notice.at};
}

void NoticeQueue::follow(std::set<std::string, std::less<>> instance_ids) {
    const Duration now = host_.monotonic();
    if (!is_followed()) read_kept();
    if (followed_at_) follow_interval_ = std::max(now - *followed_at_, Duration(1));
    followed_at_ = now;
    std::erase_if(notices_, [&](const auto& one) {
        return !instance_ids.contains(one.first) && now - one.second.received_at >= list_lag;
    });
    existing_ = std::move(instance_ids);
    keep();
}

bool NoticeQueue::is_followed() const {
    if (!followed_at_ || !config_.follow_time) return followed_at_.has_value();
    const Duration twice = 2 * std::min(follow_interval_, follow_interval_max);
    return host_.monotonic() - *followed_at_ <= std::max(*config_.follow_time, twice);
}

/// Adds the notices that the last process has kept, or the last host that acted.
void NoticeQueue::read_kept() {
    const Result<StoredValue> stored = read_state(host_, kept_notices_key);
    if (!stored) return;
    kept_ = stored->value;
    const Result<Json> json = parse_json(stored->value);
    if (!json) return;
    for (const auto& [id, kept] : json->members()) {
        Notice notice = kept_notice_of(id, kept);
        const auto at = notices_.find(id);
        if (at == notices_.end() || supersedes(notice, at->second.notice))
            insert(std::move(notice));
    }
}

/// Keeps the notices of the instances that exist.
void NoticeQueue::keep() {
    if (host_.service<capstan_state>(CAPSTAN_SERVICE_STATE) == nullptr) return;
    Json out = Json::object();
    for (const auto& [id, stored] : notices_)
        if (existing_ && existing_->contains(id)) out.set(id, json_of_notice(stored.notice));
    std::string text = out.members().empty() ? std::string() : to_string(out);
    if (text == kept_) return;
    const Result<StoredValue> before = read_state(host_, kept_notices_key);
    const auto written = write_state(host_, kept_notices_key, text, before ? before->revision : 0);
    if (!written)
        return warnings_.set(
            "kept",
            "notices of terminating instances are not saved and would be lost on a restart: " +
                written.error().message);
    warnings_.end("kept");
    kept_ = std::move(text);
}

Task<void> NoticeQueue::listen() {
    for (;;) {
        while (config_.follow_time && (follow_interval_ == Duration(0) || !is_followed()))
            co_await sleep_for(host_, follow_check);
        const Duration began = host_.monotonic();
        const Result<std::size_t> got = co_await as_result(receive());
        if (!got) {
            // When the plugin's instance stops, its sleeps fail too, and that ends this task.
            if (got.error().code != ErrorCode::cancelled) set_last_error(got.error());
            co_await sleep_for(host_, delay_after_failure());
            continue;
        }
        failures_ = 0;
        set_last_error(std::nullopt);
        if (*got == 0 && host_.monotonic() - began < shortest_poll)
            co_await sleep_for(host_, shortest_poll);
    }
}

Task<std::size_t> NoticeQueue::receive() {
    Json request = Json::object();
    request.set("QueueUrl", config_.url)
        .set("MaxNumberOfMessages", messages_at_once)
        .set("VisibilityTimeout", visibility_seconds)
        .set("WaitTimeSeconds", std::int64_t{config_.wait.count()});
    const Json reply = co_await client_.post_json(Service::sqs, "AmazonSQS.ReceiveMessage",
                                                  std::move(request), Repeatable::yes);
    const Json* const messages = reply.find("Messages");
    if (messages == nullptr || messages->items().empty()) co_return std::size_t{0};
    Json entries = Json::array();
    for (const Json& message : messages->items()) {
        store_message(message);
        const std::string& receipt = message.text_at({"ReceiptHandle"});
        if (receipt.empty()) continue;
        Json entry = Json::object();
        entry.set("Id", std::to_string(entries.items().size())).set("ReceiptHandle", receipt);
        entries.append(std::move(entry));
    }
    keep();
    if (!entries.items().empty()) co_await remove(std::move(entries));
    co_return messages->items().size();
}

Task<void> NoticeQueue::remove(Json entries) {
    Json request = Json::object();
    request.set("QueueUrl", config_.url).set("Entries", std::move(entries));
    const Json reply = co_await client_.post_json(Service::sqs, "AmazonSQS.DeleteMessageBatch",
                                                  std::move(request), Repeatable::yes);
    const Json* const failed = reply.find("Failed");
    if (failed == nullptr || failed->items().empty()) co_return;
    // The messages will be received again, which does no harm.
    const Json& first = failed->items().front();
    throw Failure(ErrorCode::unavailable,
                  "sqs:DeleteMessageBatch: " +
                      counted(static_cast<std::int64_t>(failed->items().size()), "message") +
                      " cannot be deleted: " + first.text_at({"Code"}) + " " +
                      in_quotes(first.text_at({"Message"})));
}

void NoticeQueue::store_message(const Json& message) {
    Result<std::vector<Notice>> notices = read_notices(message.text_at({"Body"}));
    if (!notices) {
        warn_of_malformed(notices.error());
        return;
    }
    for (Notice& notice : *notices) store_notice(std::move(notice));
}

void NoticeQueue::store_notice(Notice notice) {
    const auto at = notices_.find(notice.instance_id);
    if (notice.is_over) {
        if (at == notices_.end() || at->second.notice.reason != notice.reason) return;
        // Messages come in any order: a notice of a later time than this end stays.
        const std::optional<Time>&known = at->second.notice.at, &over = notice.at;
        if (!known || !over || *known <= *over) notices_.erase(at);
        return;
    }
    if (at != notices_.end() &&
        (at->second.notice == notice || !supersedes(notice, at->second.notice)))
        return;
    const bool is_in_a_group = !existing_ || existing_->contains(notice.instance_id);
    const std::string sentence = sentence_of(notice);
    insert(std::move(notice));
    if (!is_in_a_group) return;
    host_.info("an instance is about to terminate: " + sentence);
    if (const Result<void> woken = wake(host_, sentence); !woken)
        host_.debug("no extra pass requested: " + woken.error().message);
}

void NoticeQueue::insert(Notice notice) {
    std::string id = notice.instance_id;
    notices_.insert_or_assign(std::move(id),
                              StoredNotice{std::move(notice), host_.monotonic(), ++received_});
    if (notices_.size() <= std::max<std::size_t>(config_.notices_max, 1)) return;
    notices_.erase(std::min_element(
        notices_.begin(), notices_.end(),
        [](const auto& a, const auto& b) { return a.second.number < b.second.number; }));
}

void NoticeQueue::warn_of_malformed(const Error& error) {
    if (logged_malformed_.size() >= logged_malformed_max) return;
    if (!logged_malformed_.insert(error.message).second) return;
    host_.warn("unreadable SQS message deleted: " + error.message, {field("queue", config_.url)});
}

void NoticeQueue::set_last_error(const std::optional<Error>& error) {
    if (error && (!last_error_ || last_error_->code != error->code))
        host_.warn("cannot read notices of terminating instances from the queue; retried: " +
                       error->message,
                   {field("queue", config_.url)});
    if (!error && last_error_)
        host_.info("notices of terminating instances are readable again",
                   {field("queue", config_.url)});
    last_error_ = error;
}

Duration NoticeQueue::delay_after_failure() {
    Duration most = first_delay;
    for (int n = 0; n < failures_ && most < longest_delay; ++n) most *= 2;
    ++failures_;
    most = std::min<Duration>(most, longest_delay);
    // Between a half and the whole, so that several listeners do not retry together.
    return most - std::chrono::duration_cast<Duration>(most * (host_.random_share() / 2));
}

}  // namespace capstan::aws
