/// Values that know the names of their members: described once, written and read from that.
///
///     struct WrongSize { int current = 0, expected = 0; Time since{}; };
///     BOOST_DESCRIBE_STRUCT(WrongSize, (), (current, expected, since))
///
/// The names are the keys of the text, and a member that has its default is left out of it. So a
/// change of a member's name or default changes a format.
#pragma once

#include <type_traits>

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <boost/pfr/tuple_size.hpp>

namespace capstan::runtime::record {

template <class T>
concept NamedMembers = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;

template <class T>
concept NamedEnumerators = boost::describe::has_describe_enumerators<T>::value;

/// Calls `f(name, pointer to member)` for each member in the order of the description.
template <NamedMembers T, class F>
void each_member(F f) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    static_assert(boost::mp11::mp_size<Members>::value == boost::pfr::tuple_size_v<T>,
                  "a member is not described");
    boost::mp11::mp_for_each<Members>([&](auto member) { f(member.name, member.pointer); });
}

}  // namespace capstan::runtime::record
