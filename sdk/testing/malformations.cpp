#include "malformations.hpp"

#include <limits>
#include <string>

#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr auto most64 = std::numeric_limits<std::int64_t>::max();
constexpr auto least64 = std::numeric_limits<std::int64_t>::min();
constexpr auto most32 = std::numeric_limits<std::int32_t>::max();
constexpr auto least32 = std::numeric_limits<std::int32_t>::min();
constexpr auto everything = ~std::uint64_t{0};

template <class T, std::size_t n>
capstan_array array(const T (&items)[n]) noexcept {
    return {items, n, sizeof(T)};
}

const capstan_str broken = str("\xff\xfe\xc0\x80 \xed\xa0\x80");
const capstan_kv broken_pairs[] = {
    {broken, broken}, {{nullptr, 0}, broken}, {broken, {nullptr, 0}}};
const capstan_kv same_pairs[] = {
    {str("zone"), str("a")}, {str("zone"), str("b")}, {str("zone"), str("a")}};
const capstan_kv empty_pairs[] = {{str(""), str("")}, {{nullptr, 0}, {nullptr, 0}}};
const capstan_taint odd_taints[] = {
    {str(""), str(""), 0, 0}, {broken, broken, 99, -1}, {str("a"), str(""), -1, 0}};
const capstan_quantity negative[] = {
    {str("cpu"), -1}, {str("memory"), least64}, {str("pods"), -110}};
const capstan_quantity largest[] = {
    {str("cpu"), most64}, {str("memory"), most64}, {str("pods"), most64}};
const capstan_quantity zero[] = {{str("cpu"), 0}, {str("memory"), 0}, {str("pods"), 0}};
const capstan_quantity odd_amounts[] = {
    {str("cpu"), 1}, {str("cpu"), 2}, {broken, 3}, {{nullptr, 0}, 4}};
const capstan_str odd_names[] = {broken, {nullptr, 0}, str(""), str("zzz")};

void set_amounts(capstan_template& node, capstan_array amounts) noexcept {
    node.capacity = node.allocatable = node.free = amounts;
}
void set_sizes(capstan_group& group, std::int32_t min, std::int32_t target,
               std::int32_t max) noexcept {
    group.present |= CAPSTAN_GROUP_MIN | CAPSTAN_GROUP_TARGET | CAPSTAN_GROUP_MAX;
    group.min = min;
    group.target = target;
    group.max = max;
}

constexpr capstan_array no_array{nullptr, 0, 0};

void clear(capstan_group& g) noexcept {
    g = capstan_group{};
    g.struct_size = sizeof g;
}
void clear(capstan_template& t) noexcept {
    t = capstan_template{};
    t.struct_size = sizeof t;
}

const std::string& long_text() {
    static const std::string text(std::size_t{1} << 20, 'x');
    return text;
}

const Malformation all[] = {
    {"empty texts and NULL arrays", [](capstan_group& g) { clear(g); },
     [](capstan_template& t) { clear(t); },
     [](capstan_option& o) { o.pods = o.requested = o.similar = no_array; }},
    {"options without templates", [](capstan_group&) {}, [](capstan_template&) {},
     [](capstan_option& o) { o.node = nullptr; }},
    {"empty names", [](capstan_group& g) { g.id = str(""), g.tags = array(empty_pairs); },
     [](capstan_template& t) { t.name = str(""), t.labels = t.annotations = array(empty_pairs); },
     [](capstan_option& o) { o.similar = array(odd_names); }},
    {"text that is not UTF-8",
     [](capstan_group& g) { g.id = g.debug = broken, g.tags = array(broken_pairs); },
     [](capstan_template& t) {
         t.name = t.zone = t.machine_type = broken;
         t.labels = t.annotations = array(broken_pairs);
         t.taints = array(odd_taints);
     },
     [](capstan_option& o) { o.similar = array(odd_names); }},
    {"duplicate names", [](capstan_group& g) { g.id = str("twice"), g.tags = array(same_pairs); },
     [](capstan_template& t) {
         t.labels = array(same_pairs);
         set_amounts(t, array(odd_amounts));
     },
     [](capstan_option& o) { o.requested = array(odd_amounts); }},
    {"negative numbers", [](capstan_group& g) { set_sizes(g, -1, -3, -2); },
     [](capstan_template& t) { set_amounts(t, array(negative)), t.variants = -1; },
     [](capstan_option& o) {
         o.nodes = -3, o.requested = array(negative), o.price_per_hour = -1, o.present = 1;
     }},
    {"zeros", [](capstan_group& g) { set_sizes(g, 0, 0, 0); },
     [](capstan_template& t) { set_amounts(t, array(zero)), t.variants = 0; },
     [](capstan_option& o) {
         o.nodes = 0, o.pod_count = 0, o.requested = array(zero), o.present = 1;
     }},
    {"the largest numbers", [](capstan_group& g) { set_sizes(g, 0, most32 - 1, most32); },
     [](capstan_template& t) { set_amounts(t, array(largest)), t.variants = most32; },
     [](capstan_option& o) { o.nodes = most32, o.pod_count = ~0u, o.requested = array(largest); }},
    {"the smallest numbers", [](capstan_group& g) { set_sizes(g, least32, least32, least32); },
     [](capstan_template& t) { set_amounts(t, array(negative)), t.variants = least32; },
     [](capstan_option& o) { o.nodes = least32, o.requested = array(negative); }},
    {"a price that is not a number", [](capstan_group&) {}, [](capstan_template&) {},
     [](capstan_option& o) {
         o.present = 1;
         o.price_per_hour = o.nodes % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                             : std::numeric_limits<double>::infinity();
     }},
    {"unknown flags", [](capstan_group& g) { g.present = everything, g.healthy = -7; },
     [](capstan_template&) {},
     [](capstan_option& o) { o.present = everything, o.group_exists = -7; }},
    {"a text of a megabyte", [](capstan_group& g) { g.id = str(long_text()); },
     [](capstan_template& t) { t.name = t.zone = str(long_text()); }, [](capstan_option&) {}},
};

}  // namespace

std::span<const Malformation> malformations() noexcept { return all; }

const void* Stretcher::copy(const void* from, std::size_t size, std::uint32_t count,
                            std::uint32_t stride) {
    const auto longer = static_cast<std::uint32_t>(size + tail);
    memory_.push_back(std::make_unique<std::byte[]>(std::size_t{longer} * count));
    std::byte* to = memory_.back().get();
    std::memset(to, 0xa5, std::size_t{longer} * count);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::byte* const here = to + std::size_t{longer} * i;
        std::memcpy(here, static_cast<const std::byte*>(from) + std::size_t{stride} * i, size);
        std::memcpy(here, &longer, sizeof longer);  // struct_size
    }
    return to;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
