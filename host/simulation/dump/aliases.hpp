/// One alias for each text of a dump, and the texts that need none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace capstan::simulation::dump {

/// A domain of Kubernetes or of a cloud, or below one: "topology.kubernetes.io".
bool is_known_domain(std::string_view domain);

/// Meets every text first, then answers: of() before number() returns nothing of use.
class Aliases {
public:
    /// Of a name of anything. Those that Kubernetes gives to its own stay.
    std::string of(std::string_view text);
    /// Of the key of a label, taint, annotation or resource: of its domain and its name, where they
    /// are not known.
    std::string of_key(std::string_view key);
    /// Of the value of a label or taint under that key.
    std::string of_value(std::string_view key, std::string_view value);
    /// Of the value of an annotation under that key.
    std::string of_annotation(std::string_view key, std::string_view value);
    /// Values under this key are compared as numbers.
    void order(std::string_view key) { ordered_keys_.emplace(key); }

    /// The pod's alias is that of its StatefulSet with the pod's number.
    void keep_number(std::string_view pod, std::string_view set);

    /// Every text has been met: "x0001" and so on, by the order of the texts.
    void number();

private:
    std::map<std::string, std::string, std::less<>> aliases_;
    std::map<std::string, std::string, std::less<>> sets_;  ///< by pod
    std::set<std::string, std::less<>> ordered_keys_;
};

}  // namespace capstan::simulation::dump
