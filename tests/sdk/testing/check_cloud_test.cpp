// Checks of the conformance suite for clouds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <string>

#include <malloc.h>
#include <unistd.h>

#include <capstan/http.hpp>
#include <capstan/plugin.hpp>
#include <capstan/testing/builders.hpp>
#include <capstan/testing/conformance.hpp>

#include "verdicts.hpp"

namespace {

using namespace std::chrono_literals;
using capstan::Call;
using capstan::CloudView;
using capstan::ErrorCode;
using capstan::Host;
using capstan::HttpRequest;
using capstan::MachineId;
using capstan::NodeGroup;
using capstan::NodeGroupId;
using capstan::NodeTemplate;
using capstan::Removal;
using capstan::Removed;
using capstan::Resize;
using capstan::Resized;
using capstan::Result;
using capstan::Settings;
using capstan::Task;
using capstan::testing::failures;
using capstan::testing::failures_of;
using capstan::testing::not_applicable_checks;
using capstan::testing::results_of;
using capstan::testing::skipped_checks;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// A deviation from a plain cloud. Each breaks one rule, except where noted.
enum class CloudFault {
    none,
    any_group,
    past_maximum,
    forgets_keys,
    ignores_target,
    forgets_machines,
    contradicts,
    misplaces,
    lists_a_stranger,  // no fault
    blocks,
    bad_price,
    no_capacity,
    lags,  // no fault
    acts_on_the_list,
    waits_for_the_list,
    never_moves,
    makes_a_part,
    past_maximum_already,
    huge_target,
    huge_machine,
    leaks_memory,
    leaks_descriptors,
    prints
};
constexpr bool has_lag(CloudFault fault) {
    return fault == CloudFault::lags || fault == CloudFault::acts_on_the_list ||
           fault == CloudFault::waits_for_the_list;
}

/// Two groups in memory; start, refresh and increase take a second each.
template <CloudFault fault>
class MemoryCloud {
public:
    MemoryCloud(Host host, const Settings&) : host_(host) {
        for (const char* id : {"a", "b"})
            groups_.push_back(capstan::testing::group(id, {.target = 2, .max = 5}));
        if (fault == CloudFault::past_maximum_already) groups_[1].target = 6;
        if (fault == CloudFault::huge_target) {
            groups_[1].max.reset();
            groups_[1].target = std::numeric_limits<int>::max();
        }
        listed_ = groups_;
    }
    ~MemoryCloud() {
        for (const int fd : descriptors_) ::close(fd);
    }
    Task<void> start() { co_await capstan::sleep_for(host_, 1s); }
    Task<void> stop() { co_return; }
    Task<CloudView> refresh() {
        if (fault == CloudFault::blocks) {
            const auto until = std::chrono::steady_clock::now() + 20ms;
            while (std::chrono::steady_clock::now() < until) continue;
        }
        co_await capstan::sleep_for(host_, 1s);
        if (fault == CloudFault::leaks_memory) leaked_.emplace_back(300, 'x');
        if (fault == CloudFault::leaks_descriptors) descriptors_.push_back(::dup(STDERR_FILENO));
        CloudView view;
        const bool shows_all = !has_lag(fault) || host_.monotonic() - changed_ >= 30s;
        if (shows_all && fault != CloudFault::never_moves) listed_ = groups_;
        view.groups = listed_;
        for (int i = 0; i < 2; ++i)
            view.machines.push_back({MachineId("a-" + std::to_string(i)), NodeGroupId("a")});
        if (fault == CloudFault::misplaces)
            view.machines.push_back({MachineId("c-0"), NodeGroupId("c")});
        if (fault == CloudFault::lists_a_stranger) view.machines.push_back({MachineId("s-0")});
        if (fault == CloudFault::contradicts)
            view.unreadable.push_back({ErrorCode::unavailable, "page 2", {}, "c"});
        co_return view;
    }
    Task<Resized> increase(Resize request) {
        co_await capstan::sleep_for(host_, 1s);
        if (fault == CloudFault::any_group && find(request.group) == nullptr) co_return Resized{1};
        NodeGroup& group = at(request.group);
        const bool again = !request.idempotency_key.empty() &&
                           !done_.try_emplace(request.idempotency_key, request.delta).second;
        if (again && fault != CloudFault::forgets_keys) co_return Resized{*group.target};
        const int listed = *listed_[static_cast<std::size_t>(&group - groups_.data())].target;
        if (fault == CloudFault::waits_for_the_list && listed != *group.target)
            co_return capstan::fail(ErrorCode::conflict, "it still grows");
        const int target = fault == CloudFault::acts_on_the_list ? listed : *group.target;
        if (target != request.expected_target && fault != CloudFault::ignores_target && !again) {
            co_return capstan::fail(ErrorCode::conflict,
                                    "the target is " + std::to_string(*group.target));
        }
        const int room = *group.max - *group.target + (fault == CloudFault::past_maximum ? 100 : 0);
        if (request.delta > room) {
            co_return capstan::fail(ErrorCode::invalid_argument, "past the maximum");
        }
        const bool is_part = fault == CloudFault::makes_a_part && request.all_or_nothing;
        *group.target += request.delta - (is_part ? 1 : 0);
        changed_ = host_.monotonic();
        if (fault == CloudFault::prints) std::puts("one more");
        co_return Resized{*group.target};
    }
    Result<Resized> decrease_target(Resize request) {
        at(request.group);
        return capstan::fail(ErrorCode::conflict, "nothing to take back");
    }
    Task<Removed> remove(Removal request) {
        at(request.group);
        Removed out;
        for (const MachineId& id : request.machines) {
            if (fault == CloudFault::forgets_machines || id.value().substr(0, 2) == "a-") continue;
            out.failed.push_back({ErrorCode::not_found, "no machine", {}, id.value()});
        }
        co_return out;
    }
    Result<NodeTemplate> describe(NodeGroupId group) {
        NodeTemplate node = capstan::testing::node_template(at(group).id.value());
        if (fault == CloudFault::no_capacity) node.capacity = {};
        if (fault == CloudFault::huge_machine) node.capacity.set("memory", std::int64_t{1} << 62);
        return node;
    }
    capstan::Price price(const Call&, const capstan::GroupView&,
                         const capstan::TemplateView&) const {
        return {.per_hour = fault == CloudFault::bad_price ? -1.0 : 0.25};
    }
    capstan::GroupOptions options(const Call&, const capstan::GroupView&) const {
        return {.utilization_threshold = 0.5};
    }

private:
    NodeGroup* find(const NodeGroupId& id) {
        for (NodeGroup& group : groups_) {
            if (group.id == id) return &group;
        }
        return nullptr;
    }
    NodeGroup& at(const NodeGroupId& id) {
        NodeGroup* const group = find(id);
        if (group == nullptr)
            throw capstan::Failure(ErrorCode::not_found, "no group " + id.value());
        return *group;
    }

    Host host_;
    std::vector<NodeGroup> groups_, listed_;
    capstan::Duration changed_{};
    std::map<std::string, int> done_;
    std::vector<std::string> leaked_;
    std::vector<int> descriptors_;
};

template <CloudFault fault>
std::vector<std::string> cloud_faults_of(
    const capstan::testing::ConformanceOptions& options = capstan::testing::quick()) {
    return failures_of<MemoryCloud<fault>>(options);
}

TEST(CloudChecks, AcceptACorrectCloud) {
    const auto results = results_of(
        capstan::make_class<MemoryCloud<CloudFault::none>>({.id = "memory", .doc = "In memory."}));
    EXPECT_THAT(failures(results), IsEmpty());
    EXPECT_THAT(not_applicable_checks(results),
                ElementsAre("file/init", "schema/defaults", "schema/check", "lifecycle/self_check",
                            "lifecycle/reconfigure", "cloud/honest", "cloud/autoprovision/theory",
                            "cloud/autoprovision/making", "cloud/autoprovision/deleting"));
}

TEST(CloudChecks, AcceptALaggingList) {
    EXPECT_THAT(cloud_faults_of<CloudFault::lags>(), IsEmpty());
}

TEST(CloudChecks, FindACloudThatComparesOnlyWithItsLaggingList) {
    EXPECT_THAT(
        cloud_faults_of<CloudFault::acts_on_the_list>(),
        Contains(
            "cloud/answered_target: increase of a with expected target 3 is rejected, although the "
            "previous increase returned the target 3: conflict: the target is 3"));
}

TEST(CloudChecks, FindACloudThatRejectsItsReturnedTarget) {
    EXPECT_THAT(
        cloud_faults_of<CloudFault::waits_for_the_list>(),
        ElementsAre(
            "cloud/answered_target: increase of a with expected target 3 is rejected, although the "
            "previous increase returned the target 3: conflict: it still grows"));
}

TEST(CloudChecks, FindATargetThatIsNeverReached) {
    EXPECT_THAT(cloud_faults_of<CloudFault::never_moves>(),
                ElementsAre("cloud/target_moves: increase of a returned the target 3, but 15m "
                            "later the view shows 2"));
}

TEST(CloudChecks, FindAPartialIncreaseDespiteAllOrNothing) {
    EXPECT_THAT(cloud_faults_of<CloudFault::makes_a_part>(),
                ElementsAre("cloud/all_or_nothing: increase of a by 2, all or nothing, returned "
                            "the target 3 from 2"));
}

TEST(CloudChecks, FindImplausibleTargets) {
    EXPECT_THAT(
        cloud_faults_of<CloudFault::past_maximum_already>(),
        ElementsAre(
            "cloud/refresh: group b has the target 6 and 0 machines, above its maximum of 5"));
    EXPECT_THAT(
        cloud_faults_of<CloudFault::huge_target>(),
        ElementsAre(
            "cloud/refresh: group b has the target 2147483647 and 0 machines: implausible target"));
}

TEST(CloudChecks, FindAnImplausiblyLargeMachine) {
    EXPECT_THAT(cloud_faults_of<CloudFault::huge_machine>(),
                ElementsAre("cloud/templates: describe a: the template has 4611686018427387904 of "
                            "memory"));
}

TEST(CloudChecks, FindAMemoryLeakPerCall) {
    if (::mallinfo2().uordblks == 0)
        GTEST_SKIP() << "the allocator of a sanitizer does not report it";
    EXPECT_THAT(cloud_faults_of<CloudFault::leaks_memory>(),
                ElementsAre(AllOf(StartsWith("process/steady: "),
                                  HasSubstr("KiB more memory in use after 100 calls"))));
}

TEST(CloudChecks, FindLeakedFileDescriptors) {
    EXPECT_THAT(cloud_faults_of<CloudFault::leaks_descriptors>(),
                ElementsAre(AllOf(StartsWith("process/steady: "),
                                  HasSubstr("more file descriptors open after 100 calls"))));
}

TEST(CloudChecks, FindACloudThatPrints) {
    EXPECT_THAT(cloud_faults_of<CloudFault::prints>(),
                ElementsAre("process/silent: wrote to standard output or error: one more\n"));
}

/// A cloud in memory whose `start` completes its operation and then returns an error.
capstan_class ending_and_refusing() {
    static decltype(capstan_class::create) create_well = nullptr;
    static const capstan_host* lent = nullptr;
    capstan_class out = capstan::make_class<MemoryCloud<CloudFault::none>>(
        {.id = "memory", .doc = "Cannot make up its mind."});
    create_well = out.create;
    out.create = [](const capstan_host* host, const capstan_settings* settings,
                    const capstan_call* call, const capstan_instance** instance) noexcept {
        const capstan_status status = create_well(host, settings, call, instance);
        lent = host;
        const_cast<capstan_instance*>(*instance)->start =
            [](void*, capstan_op op, const capstan_start_request*) noexcept {
                Host(lent).ops()->complete(lent, op, CAPSTAN_RESULT_NONE, nullptr);
                return capstan_status{CAPSTAN_E_INTERNAL};
            };
        return status;
    };
    return out;
}

TEST(CloudChecks, FindAnErrorForACompletedOperation) {
    EXPECT_THAT(
        failures(results_of(ending_and_refusing())),
        Contains("lifecycle/start_stop: returned an error for a completed operation, 1 time"));
}

TEST(CloudChecks, FindAnIncreaseOfAnUnknownGroup) {
    EXPECT_THAT(cloud_faults_of<CloudFault::any_group>(),
                Contains(StartsWith("cloud/unknown_group: increase of an unknown group succeeds")));
}

TEST(CloudChecks, FindAnIncreaseAboveTheMaximum) {
    EXPECT_THAT(cloud_faults_of<CloudFault::past_maximum>(),
                Contains("cloud/maximum: increase of a above its maximum succeeds"));
}

TEST(CloudChecks, FindTwoIncreasesForOneIdempotencyKey) {
    EXPECT_THAT(cloud_faults_of<CloudFault::forgets_keys>(),
                ElementsAre("cloud/idempotent: the same increase of a by 1, sent twice with the "
                            "same idempotency key, changed the target from 2 to 4"));
}

TEST(CloudChecks, FindAnIncreaseFromAnOutdatedTarget) {
    EXPECT_THAT(
        cloud_faults_of<CloudFault::ignores_target>(),
        Contains("cloud/conflict: increase of a with an outdated expected target succeeds"));
}

TEST(CloudChecks, FindTheRemovalOfAnUnknownMachine) {
    EXPECT_THAT(cloud_faults_of<CloudFault::forgets_machines>(),
                ElementsAre("cloud/bad_requests: remove of an unknown machine succeeds"));
}

TEST(CloudChecks, FindAContradictingView) {
    EXPECT_THAT(cloud_faults_of<CloudFault::contradicts>(),
                ElementsAre("cloud/refresh: the view is marked complete, but c could not be read"));
}

TEST(CloudChecks, FindAMachineOfAnUnlistedGroup) {
    EXPECT_THAT(cloud_faults_of<CloudFault::misplaces>(),
                ElementsAre("cloud/refresh: machine c-0 belongs to group c, which is not listed"));
}

TEST(CloudChecks, AllowAMachineWithoutAGroup) {
    EXPECT_THAT(cloud_faults_of<CloudFault::lists_a_stranger>(), IsEmpty());
}

TEST(CloudChecks, FindARefreshThatBlocksItsStrand) {
    auto options = capstan::testing::quick();
    options.call_deadline = 5ms;
    EXPECT_THAT(cloud_faults_of<CloudFault::blocks>(options),
                Contains(StartsWith("cloud/prompt: refresh blocks the strand")));
}

TEST(CloudChecks, FindAnInvalidPrice) {
    EXPECT_THAT(cloud_faults_of<CloudFault::bad_price>(),
                ElementsAre(StartsWith("cloud/pricing: a plain one: per_hour is -1")));
}

TEST(CloudChecks, FindATemplateWithoutCapacity) {
    EXPECT_THAT(cloud_faults_of<CloudFault::no_capacity>(),
                ElementsAre("cloud/templates: describe a: the template has no capacity"));
}

/// Reads its groups from an API. If it lies, a failed request gives a view without groups.
template <bool lies>
class HttpCloud {
public:
    HttpCloud(Host host, const Settings&) : host_(host) {}
    Task<CloudView> refresh() {
        CloudView view;
        try {
            const capstan::HttpReply reply =
                co_await capstan::send(host_, HttpRequest("GET", "https://api.example/groups"));
            view.groups.push_back(capstan::testing::group(reply.body));
        } catch (const capstan::Failure&) {
            if (!lies) throw;
        }
        co_return view;
    }
    Task<Resized> increase(Resize) { co_return capstan::fail(ErrorCode::not_found, "no group"); }
    Task<Resized> decrease_target(Resize) {
        co_return capstan::fail(ErrorCode::not_found, "no group");
    }
    Task<Removed> remove(Removal) { co_return capstan::fail(ErrorCode::not_found, "no group"); }
    Task<NodeTemplate> describe(NodeGroupId) {
        co_return capstan::fail(ErrorCode::not_found, "no group");
    }

private:
    Host host_;
};

TEST(CloudChecks, FindACompleteViewAfterFailedRequests) {
    EXPECT_THAT(
        failures_of<HttpCloud<true>>(),
        ElementsAre(
            "cloud/honest: all requests failed, but the view is marked complete, with 0 groups"));
    EXPECT_THAT(failures_of<HttpCloud<false>>(), IsEmpty());
}

TEST(CloudChecks, UseArrangedReplies) {
    auto options = capstan::testing::quick();
    options.prepare = [](capstan::testing::FakeHost& host, std::string_view class_id) {
        EXPECT_EQ(class_id, "http");
        host.http().always("GET", "https://api.example/groups",
                           capstan::testing::reply(200, "web"));
    };
    const auto results = results_of(
        capstan::make_class<HttpCloud<false>>({.id = "http", .doc = "Over HTTP."}), options);
    EXPECT_THAT(failures(results), IsEmpty());
    EXPECT_THAT(not_applicable_checks(results), Not(Contains("cloud/maximum")));
    EXPECT_THAT(not_applicable_checks(results), Not(Contains("cloud/honest")))
        << "the check disables the network, whatever was arranged";
    EXPECT_THAT(skipped_checks(results), IsEmpty());
}

TEST(CloudChecks, ReportThatThereIsNothingToCheck) {
    const auto results =
        results_of(capstan::make_class<HttpCloud<false>>({.id = "http", .doc = "Over HTTP."}));
    EXPECT_THAT(skipped_checks(results),
                ::testing::IsSupersetOf({"cloud/refresh", "cloud/maximum", "cloud/templates"}));
    EXPECT_THAT(capstan::testing::skipped_classes(results),
                ElementsAre(StartsWith("http: the cloud cannot be read here: unavailable: HTTP GET "
                                       "https://api.example/groups: ")));
}

/// Needs a token to be created; `other` is an optional second secret.
struct TokenCloud : MemoryCloud<CloudFault::none> {
    static capstan::Schema schema() {
        return {{.key = "token",
                 .type = capstan::SettingType::secret,
                 .doc = "Its token.",
                 .required = true},
                {.key = "other", .type = capstan::SettingType::secret, .doc = "Another one."}};
    }
    TokenCloud(Host host, const Settings& settings)
        : MemoryCloud<CloudFault::none>(host, settings) {
        for (const char* key : {"token", "other"}) {
            if (!settings.has(key)) continue;
            const auto known = host.with_secret(settings.text(key), [this](std::string_view value) {
                values += std::string(value) + " ";
            });
            if (!known) throw capstan::Failure(known.error());
        }
    }
    std::string values;
};

TEST(CloudChecks, InventSecretsThatTheTestDoesNotProvide) {
    const auto of = capstan::make_class<TokenCloud>({.id = "token", .doc = "With a token."});
    const auto sentence_of_create = [&](const capstan::testing::ConformanceOptions& options) {
        const auto results = results_of(of, options);
        EXPECT_THAT(failures(results), IsEmpty());
        EXPECT_THAT(skipped_checks(results), IsEmpty());
        return std::find_if(results.begin(), results.end(),
                            [](const auto& r) { return r.name == "lifecycle/create"; })
            ->outcome.sentence;
    };
    auto options = capstan::testing::quick();
    EXPECT_EQ(sentence_of_create(options), "with made-up secrets: made-up-token");
    options.settings["token"] = {{"token", capstan::testing::table({{"secret", "mine"}})},
                                 {"other", capstan::testing::table({{"secret", "theirs"}})}};
    EXPECT_EQ(sentence_of_create(options), "with made-up secrets: mine, theirs");
    options.prepare = [](capstan::testing::FakeHost& host, std::string_view) {
        host.secrets()["mine"] = host.secrets()["theirs"] = "hush";
    };
    EXPECT_EQ(sentence_of_create(options), "");
}

TEST(CloudChecks, FindAnOperationThatIsCompletedTwice) {
    struct Twice : MemoryCloud<CloudFault::none> {
        Twice(Host host, const Settings& settings)
            : MemoryCloud<CloudFault::none>(host, settings), lent(host) {}
        Host lent;
        capstan::GroupOptions options(const Call&, const capstan::GroupView&) const { return {}; }
        Task<void> start() {
            const capstan_op op = (std::uint64_t{1} << 32) + 1;  // first operation of a FakeHost
            lent.ops()->complete(lent.raw(), op, CAPSTAN_RESULT_NONE, nullptr);
            co_return;
        }
    };
    EXPECT_THAT(failures_of<Twice>(),
                Contains("lifecycle/start_stop: completed an operation twice, 1 time"));
}

}  // namespace
