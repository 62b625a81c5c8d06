#include <capstan/plugin.hpp>

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/plugin_instance.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Call;
using capstan::CloudView;
using capstan::Duration;
using capstan::ErrorCode;
using capstan::ExpanderRequest;
using capstan::Failure;
using capstan::Host;
using capstan::make_class;
using capstan::NodeGroupId;
using capstan::NodeTemplate;
using capstan::OptionView;
using capstan::Removal;
using capstan::Removed;
using capstan::Resize;
using capstan::Resized;
using capstan::Result;
using capstan::Schema;
using capstan::Selection;
using capstan::Settings;
using capstan::SettingType;
using capstan::Task;
using capstan::testing::FakeCall;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;
using capstan::testing::kept;
using capstan::testing::option;
using capstan::testing::PluginInstance;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using State = std::map<std::string, std::string>;

/// Keeps the options that need at most as many nodes as the setting `nodes`.
class AtMost {
public:
    static Schema schema() {
        return {{.key = "nodes",
                 .type = SettingType::integer,
                 .doc = "Nodes.",
                 .default_value = "2",
                 .live = true}};
    }
    static void check(const Settings& settings) {
        if (settings.integer("nodes") % 2 != 0) settings.reject("nodes", "must be even");
    }
    explicit AtMost(const Settings& settings) : most_(settings.integer("nodes")) {
        if (most_ > 100)
            throw Failure(ErrorCode::invalid_config,
                          "nodes: " + std::to_string(most_) + " is too many");
    }
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        for (const OptionView o : question.options()) {
            if (o.nodes() <= most_) keep(o);
        }
    }
    Result<void> reconfigure(const Settings& settings) {
        if (settings.integer("nodes") < 0)
            return capstan::fail(ErrorCode::invalid_config, "nodes: below zero");
        most_ = settings.integer("nodes");
        return {};
    }

private:
    std::int64_t most_;
};

/// Default constructible, with a filter that is not const.
struct All {
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) {
        for (const OptionView o : question.options()) keep(o);
    }
};

/// All functions of a cloud, with tasks, plain values and Results.
class SlowCloud {
public:
    SlowCloud(Host host, const Settings&) : host_(host) {}
    Task<void> start() {
        co_await capstan::sleep_for(host_, 3s);
        started_ = true;
    }
    Task<void> stop() {
        host_.info("stopping");
        co_return;
    }
    Task<CloudView> refresh(capstan::RefreshRequest request) {
        co_await capstan::sleep_for(host_, 1s);
        CloudView view;
        view.complete = !request.uncached;
        view.groups = {capstan::testing::group("a", {.target = target_, .max = 3})};
        co_return view;
    }
    Task<Resized> increase(Resize request) {
        if (request.group != NodeGroupId("a"))
            co_return capstan::fail(ErrorCode::not_found, "no such group");
        co_await capstan::sleep_for(host_, 1s);
        co_return Resized{target_ += request.delta};
    }
    Result<Resized> decrease_target(Resize) {
        return capstan::fail(ErrorCode::conflict, "nothing to take back");
    }
    Removed remove(Removal request) {
        Removed out;
        for (const auto& id : request.machines)
            out.failed.push_back({ErrorCode::not_found, "no machine", {}, id.value()});
        return out;
    }
    NodeTemplate describe(NodeGroupId group) {
        return capstan::testing::node_template(group.value());
    }
    Result<capstan::Price> price(const Call&, const capstan::GroupView&,
                                 const capstan::TemplateView& node) {
        if (node.name() == "free") return capstan::fail(ErrorCode::not_found, "no price");
        return capstan::Price{.per_hour = 0.25, .currency = "EUR"};
    }
    capstan::GroupOptions options(const Call&, const capstan::GroupView&) {
        return {.utilization_threshold = 0.6, .unneeded_time = 5min, .zero_or_max = true};
    }

private:
    Host host_;
    bool started_ = false;
    int target_ = 1;
};

/// The verdict is constant; the bucket counts its calls.
struct CountingCheck {
    capstan::Similarity similar(const Call&, const capstan::TemplateView&,
                                const capstan::TemplateView&) const {
        return capstan::agrees("always");
    }
    std::uint64_t bucket(const Call&, const capstan::TemplateView&) { return ++bucket_calls % 1; }
    std::uint64_t bucket_calls = 0;
};

struct Undescribed : All {
    static Schema schema() { throw Failure(ErrorCode::unavailable, "no schema today"); }
};

const capstan_class at_most = make_class<AtMost>({.id = "at_most", .doc = "Keeps small options."});
const capstan_class all = make_class<All>({.id = "all", .doc = "Keeps all.", .pure = false});
const capstan_class slow_cloud = make_class<SlowCloud>({.id = "slow", .doc = "A slow cloud."});

FakeSettings at_most_settings(int nodes) {
    FakeSettings settings(at_most.fields);
    settings.set("nodes", nodes);
    return settings;
}

TEST(MakeClass, DescribesTheClass) {
    EXPECT_EQ(capstan::text(at_most.class_id), "at_most");
    EXPECT_EQ(capstan::text(at_most.kind), CAPSTAN_KIND_EXPANDER);
    EXPECT_EQ(at_most.concurrency, CAPSTAN_CONCURRENCY_PARALLEL);
    EXPECT_EQ(at_most.flags, static_cast<std::uint32_t>(CAPSTAN_CLASS_PURE));
    EXPECT_EQ(at_most.fields.count, 1u);
    EXPECT_NE(at_most.check, nullptr);
    EXPECT_EQ(all.concurrency, CAPSTAN_CONCURRENCY_SERIAL);
    EXPECT_EQ(all.flags, 0u);
    EXPECT_EQ(all.check, nullptr);
    EXPECT_EQ(all.fields.count, 0u);
    EXPECT_EQ(capstan::text(slow_cloud.kind), CAPSTAN_KIND_CLOUD);
    EXPECT_EQ(slow_cloud.flags, static_cast<std::uint32_t>(CAPSTAN_CLASS_NEEDS_LEADER));
}

TEST(MakeClass, IsParallelOnlyIfEveryHookIsConst) {
    const capstan_class counting = make_class<CountingCheck>({.id = "counting", .doc = "Counts."});
    EXPECT_EQ(counting.concurrency, CAPSTAN_CONCURRENCY_SERIAL);
}

TEST(ClassList, IsNullIfAClassCannotBeDescribed) {
    const auto make = [] {
        return std::vector{make_class<Undescribed>({.id = "undescribed", .doc = "Throws."})};
    };
    EXPECT_EQ(capstan::detail::list_classes(make), nullptr);
}

TEST(PluginClass, RejectsInCheckWhatASchemaCannotExpress) {
    FakeSettings odd = at_most_settings(3), even = at_most_settings(4);
    const FakeCall call;
    EXPECT_EQ(at_most.check(odd.raw(), call.raw()), CAPSTAN_OK);
    EXPECT_EQ(at_most.check(even.raw(), call.raw()), CAPSTAN_OK);
    EXPECT_THAT(odd.rejections(),
                ElementsAre(capstan::testing::Rejection{"nodes", "must be even"}));
    EXPECT_TRUE(even.rejections().empty());
}

TEST(PluginClass, ReportsWhyAnInstanceCannotBeCreated) {
    FakeHost host;
    FakeSettings settings = at_most_settings(200);
    const auto made = PluginInstance::create(host, at_most, settings);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), (capstan::Error{ErrorCode::invalid_config, "nodes: 200 is too many"}));
}

TEST(PluginInstance, HasOnlyTheInterfacesOfItsKind) {
    FakeHost host;
    FakeSettings settings = at_most_settings(2);
    const auto instance = PluginInstance::create(host, at_most, settings).value();
    const auto* expander = instance.find<capstan_expander>(CAPSTAN_KIND_EXPANDER);
    ASSERT_NE(expander, nullptr);
    EXPECT_EQ(expander, instance.find<capstan_expander>(CAPSTAN_KIND_EXPANDER));
    EXPECT_EQ(instance.find<void>(CAPSTAN_KIND_SPLITTER), nullptr);
    EXPECT_THAT(kept(*expander, {{option("a").nodes(3), option("b").nodes(2)}}), ElementsAre("b"));
}

TEST(PluginInstance, AppliesNewSettingsOrKeepsTheOldOnes) {
    FakeHost host;
    FakeSettings old = at_most_settings(2), more = at_most_settings(4), bad = at_most_settings(-2);
    const auto instance = PluginInstance::create(host, at_most, old).value();
    const capstan_instance& raw = instance.raw();
    FakeCall call;
    EXPECT_EQ(raw.reconfigure(raw.self, more.raw(), call.raw()), CAPSTAN_OK);
    EXPECT_EQ(raw.reconfigure(raw.self, bad.raw(), call.raw()), CAPSTAN_E_INVALID_CONFIG);
    EXPECT_EQ(call.failure()->message, "nodes: below zero");
    const auto* expander = instance.find<capstan_expander>(CAPSTAN_KIND_EXPANDER);
    EXPECT_THAT(kept(*expander, {{option("a").nodes(4)}}), ElementsAre("a"));
}

TEST(PluginInstance, OmitsHooksThatItsClassOmits) {
    FakeHost host;
    FakeSettings none(all.fields);
    const auto instance = PluginInstance::create(host, all, none).value();
    EXPECT_EQ(instance.raw().start, nullptr);
    EXPECT_EQ(instance.raw().stop, nullptr);
    EXPECT_EQ(instance.raw().reconfigure, nullptr);
    EXPECT_EQ(instance.raw().self_check, nullptr);
}

class CloudLayer : public ::testing::Test {
protected:
    template <class T, class F>
    Result<T> call(F&& function) {
        return host.settle(host.call<T>(std::forward<F>(function)));
    }
    FakeHost host;
    FakeSettings settings{slow_cloud.fields};
    PluginInstance instance = std::move(PluginInstance::create(host, slow_cloud, settings).value());
    const capstan_cloud& cloud = *instance.find<capstan_cloud>(CAPSTAN_KIND_CLOUD);
    const capstan_refresh_request cached{sizeof cached, 0};
};

TEST_F(CloudLayer, StartsAndStops) {
    const Duration before = host.monotonic();
    EXPECT_TRUE(instance.start());
    EXPECT_EQ(host.monotonic() - before, 3s);
    EXPECT_TRUE(instance.stop());
    EXPECT_EQ(host.log_lines().back().message, "stopping");
}

TEST_F(CloudLayer, PassesViewsAndResizes) {
    const Result<CloudView> view =
        call<CloudView>([&](capstan_op op) { return cloud.refresh(cloud.self, op, &cached); });
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.front().id, NodeGroupId("a"));
    EXPECT_TRUE(view->complete);
    const capstan_refresh_request anew{sizeof anew, CAPSTAN_REFRESH_UNCACHED};
    const auto read_anew =
        call<CloudView>([&](capstan_op op) { return cloud.refresh(cloud.self, op, &anew); });
    ASSERT_TRUE(read_anew) << read_anew.error();
    EXPECT_FALSE(read_anew->complete) << "the class was notified";
    capstan_resize resize{};
    resize.struct_size = sizeof resize;
    resize.delta = 2;
    resize.group_id = capstan::str("a");
    EXPECT_EQ(call<Resized>([&](capstan_op op) { return cloud.increase(cloud.self, op, &resize); }),
              Resized{3});
    resize.group_id = capstan::str("b");
    EXPECT_EQ(call<Resized>([&](capstan_op op) { return cloud.increase(cloud.self, op, &resize); })
                  .error()
                  .code,
              ErrorCode::not_found);
    EXPECT_EQ(
        call<Resized>([&](capstan_op op) { return cloud.decrease_target(cloud.self, op, &resize); })
            .error()
            .code,
        ErrorCode::conflict);
}

TEST_F(CloudLayer, FailsAMalformedRequest) {
    capstan_resize negative{};
    negative.struct_size = sizeof negative;
    negative.delta = -1;
    negative.group_id = capstan::str("a");
    EXPECT_FALSE(
        call<Resized>([&](capstan_op op) { return cloud.increase(cloud.self, op, &negative); }));
}

TEST_F(CloudLayer, PassesRemovalsAndTemplates) {
    const capstan_str id = capstan::str("machine-1");
    capstan_removal removal{};
    removal.struct_size = sizeof removal;
    removal.group_id = capstan::str("a");
    removal.machine_ids = {&id, 1, sizeof id};
    const auto removed =
        call<Removed>([&](capstan_op op) { return cloud.remove(cloud.self, op, &removal); });
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_EQ(removed->failed.front().subject, "machine-1");
    const auto& templates = *instance.find<capstan_cloud_templates>(CAPSTAN_INTERFACE_TEMPLATES);
    const capstan_describe_request described{sizeof described, 0, capstan::str("a")};
    const auto node = call<NodeTemplate>(
        [&](capstan_op op) { return templates.describe(templates.self, op, &described); });
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->name, "a");
}

TEST_F(CloudLayer, PassesPricesAndOptions) {
    const auto& pricing = *instance.find<capstan_cloud_pricing>(CAPSTAN_INTERFACE_PRICING);
    const auto& options = *instance.find<capstan_cloud_options>(CAPSTAN_INTERFACE_OPTIONS);
    capstan::AbiArena arena;
    const NodeTemplate node = capstan::testing::node_template("a"),
                       priceless = capstan::testing::node_template("free");
    const capstan_template raw = arena.to_abi(node), raw_priceless = arena.to_abi(priceless);
    const auto group = capstan::testing::group("a");
    const capstan_group raw_group = arena.to_abi(group);
    FakeCall call;
    capstan_price price{};
    price.struct_size = sizeof price;
    EXPECT_EQ(pricing.price(pricing.self, call.raw(), &raw_group, &raw, &price), CAPSTAN_OK);
    EXPECT_EQ(price.per_hour, 0.25);
    EXPECT_STREQ(price.currency, "EUR");
    EXPECT_EQ(price.present, static_cast<std::uint64_t>(CAPSTAN_PRICE_PER_HOUR));
    EXPECT_EQ(pricing.price(pricing.self, call.raw(), &raw_group, &raw_priceless, &price),
              CAPSTAN_E_NOT_FOUND);
    capstan_group_options wishes{};
    wishes.struct_size = sizeof wishes;
    EXPECT_EQ(options.get(options.self, call.raw(), &raw_group, &wishes), CAPSTAN_OK);
    EXPECT_EQ(wishes.present, static_cast<std::uint64_t>(CAPSTAN_GROUP_OPTION_UTILIZATION |
                                                         CAPSTAN_GROUP_OPTION_UNNEEDED |
                                                         CAPSTAN_GROUP_OPTION_ZERO_OR_MAX));
    EXPECT_EQ(wishes.unneeded_ns, Duration(5min).count());
}

TEST_F(CloudLayer, CancelsOpenOperationsWhenItStops) {
    const auto refresh =
        host.call<CloudView>([&](capstan_op op) { return cloud.refresh(cloud.self, op, &cached); });
    EXPECT_FALSE(refresh.is_done());
    EXPECT_TRUE(instance.stop());
    EXPECT_EQ(refresh.result().error().code, ErrorCode::cancelled);
    EXPECT_EQ(host.open_operations(), 0u);
}

}  // namespace

CAPSTAN_PLUGIN("acme.test", "1.2.3", "Acme", CAPSTAN_KIND_EXPANDER ";" CAPSTAN_KIND_CLOUD,
               make_class<AtMost>({.id = "at_most", .doc = "Keeps small options."}),
               make_class<SlowCloud>({.id = "slow", .doc = "A slow cloud."}))

namespace {

TEST(Plugin, ExportsAnEntryThatMatchesItsNote) {
    const capstan_entry& entry = capstan_entry_1;
    EXPECT_EQ(entry.magic, CAPSTAN_MAGIC);
    EXPECT_EQ(entry.struct_size, sizeof entry);
    EXPECT_EQ(entry.abi_major, CAPSTAN_ABI_MAJOR);
    EXPECT_EQ(capstan::text(entry.plugin_id), "acme.test");
    EXPECT_EQ(capstan::text(entry.version), "1.2.3");
    EXPECT_STREQ(capstan_note_.plugin_id, "acme.test");
    EXPECT_STREQ(capstan_note_.version, "1.2.3");
    EXPECT_STREQ(capstan_note_.kinds, "capstan.expander/1;capstan.cloud/1");
}

TEST(Plugin, ListsItsClassesTheSameEachTime) {
    const capstan_class_list* list = capstan_entry_1.classes();
    EXPECT_EQ(list, capstan_entry_1.classes());
    const capstan::View<capstan_class> classes(list->classes);
    ASSERT_EQ(classes.size(), 2u);
    EXPECT_EQ(capstan::text(classes[0].class_id), "at_most");
    EXPECT_EQ(capstan::text(classes[1].class_id), "slow");
}

}  // namespace
