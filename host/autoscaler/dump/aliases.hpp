/// Aliases for the texts of a dump that its owner chose, and the texts that need none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace capstan::autoscaler::dump {

/// Whether the domain belongs to Kubernetes, a cloud or a well-known vendor, or lies below such a
/// domain: "topology.kubernetes.io".
bool is_known_domain(std::string_view domain);

/// Used in two rounds, because aliases are numbered in the order of the texts and so need all of
/// them. In the first round the of...() functions collect texts and return nothing of use; after
/// number(), the same calls return the aliases.
class Aliases {
public:
    /// The alias of an object's name. Names that Kubernetes itself gives, such as "kube-system",
    /// stay.
    std::string of(std::string_view text);
    /// The alias of the key of a label, taint, annotation or resource. Known keys stay, and so do
    /// known domains of keys that users name; all other domains and names are replaced.
    std::string of_key(std::string_view key);
    /// The alias of the value of a label or taint under that key.
    std::string of_value(std::string_view key, std::string_view value);
    /// The alias of the value of an annotation under that key.
    std::string of_annotation(std::string_view key, std::string_view value);
    /// Says that values under this key are compared as numbers, so numbers among them stay.
    void order(std::string_view key) { ordered_keys_.emplace(key); }

    /// Makes the pod's alias that of its StatefulSet with the pod's ordinal: "x0007-3".
    void keep_number(std::string_view pod, std::string_view set);

    /// Ends the first round: gives the aliases "x0001" and so on, in the order of the texts.
    void number();

private:
    std::map<std::string, std::string, std::less<>> aliases_;
    std::map<std::string, std::string, std::less<>> sets_;  ///< StatefulSets by pod
    std::set<std::string, std::less<>> ordered_keys_;
};

}  // namespace capstan::autoscaler::dump
