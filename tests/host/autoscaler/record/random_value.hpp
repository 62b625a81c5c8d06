/// Random values of any type that is described with Boost.Describe.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "autoscaler/record/json_form.hpp"
#include "engine/decision.hpp"

namespace capstan::autoscaler::record {

class RandomValues {
public:
    explicit RandomValues(std::uint32_t seed) : random_(seed) {}

    template <class T>
    T make() {
        T out{};
        fill(out);
        return out;
    }

private:
    /// Half of the numbers are small.
    std::uint64_t number() {
        const std::uint64_t all = (std::uint64_t{random_()} << 32) | random_();
        return all % 2 == 0 ? all : all >> 56;
    }
    std::size_t few() { return random_() % 4; }

    void fill(bool& out) { out = number() % 2 == 0; }
    template <std::integral T>
    void fill(T& out) {
        out = static_cast<T>(number());
    }
    void fill(double& out) {
        out =
            std::ldexp(static_cast<double>(random_()) / 3.0, static_cast<int>(random_() % 80) - 40);
    }
    void fill(std::string& out) {
        static const std::vector<std::string> parts{
            "web", "/", "\"", "\\", "\n", "\x01", " ", "node", "-7", "\x7f", "\u00e9", "\u20ac"};
        for (std::size_t i = few(); i > 0; --i) out += parts[random_() % parts.size()];
    }
    void fill(engine::BriefText& out) { out = make<std::string>(); }
    void fill(Duration& out) { out = Duration(static_cast<std::int64_t>(number())); }
    void fill(Time& out) { out = time_from_unix_ns(static_cast<std::int64_t>(number())); }
    void fill(Resources& out) {
        for (std::size_t i = few(); i > 0; --i) out.set(make<std::string>(), make<std::int64_t>());
    }
    template <class Tag>
    void fill(Id<Tag>& out) {
        out = Id<Tag>(make<std::string>());
    }
    template <NamedEnumerators T>
    void fill(T& out) {
        std::vector<T> all;
        boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
            [&](auto one) { all.push_back(one.value); });
        out = all[random_() % all.size()];
    }
    template <class T>
    void fill(std::optional<T>& out) {
        if (number() % 2 == 0) out = make<T>();
    }
    template <class T>
    void fill(std::shared_ptr<const T>& out) {
        if (number() % 2 == 0) out = std::make_shared<const T>(make<T>());
    }
    template <class T>
    void fill(std::vector<T>& out) {
        for (std::size_t i = few(); i > 0; --i) out.push_back(make<T>());
    }
    template <class T>
    void fill(std::set<T>& out) {
        for (std::size_t i = few(); i > 0; --i) out.insert(make<T>());
    }
    template <class Key, class T, class Less>
    void fill(std::map<Key, T, Less>& out) {
        for (std::size_t i = few(); i > 0; --i) out.insert_or_assign(make<Key>(), make<T>());
    }
    void fill(engine::PodCount& out) {
        out = {.example = make<std::string>(), .count = make<std::uint32_t>()};
    }
    template <NamedMembers T>
    void fill(T& out) {
        each_member<T>([&](const char*, auto member) { fill(out.*member); });
    }

    std::mt19937 random_;
};

}  // namespace capstan::autoscaler::record
