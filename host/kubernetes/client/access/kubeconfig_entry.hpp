/// Reading one entry of a kubeconfig: each step may find something wrong, and the first is kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/error.hpp>

#include "kubernetes/client/access/kubeconfig.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"

namespace capstan::kubernetes {

/// A name as messages have it, in quotes. Of what is no single word only the first is shown: a
/// quote that ends too late may have drawn secrets into it.
std::string name_in_quotes(std::string_view name);

/// A map in a file, and what messages call it. Borrows the map and the place for what is wrong,
/// which entries made from this one share. Keys that are absent or null read as empty; keys that
/// are not asked for are nobody's business. Cheap to copy.
class KubeconfigEntry {
public:
    /// `what` is 'user "admin"', or empty for the file as a whole.
    KubeconfigEntry(std::filesystem::path file, std::string what, const YamlValue& value,
                    std::optional<Error>& problem);

    /// The map at `key`; an empty one when there is none.
    KubeconfigEntry below(std::string_view key) const;
    /// The maps in the list at `key`.
    std::vector<KubeconfigEntry> each(std::string_view key) const;
    /// The same map under a name of its own.
    KubeconfigEntry named(std::string what) const;

    bool has(std::string_view key) const { return value_->find(key) != nullptr; }
    const YamlValue* find(std::string_view key) const { return value_->find(key); }
    std::string text(std::string_view key) const;
    std::vector<std::string> texts(std::string_view key) const;
    /// A map of lists of text, in order.
    std::vector<std::pair<std::string, std::vector<std::string>>> lists(std::string_view key) const;
    bool flag(std::string_view key) const;
    /// Relative to the file's folder.
    std::filesystem::path path(std::string_view key) const;
    /// What stands at KEY-data in base64, else the file at KEY.
    PemSource pem(const std::string& key) const;
    std::filesystem::path folder() const;

    /// Keeps 'FILE:12: user "admin": KEY why', unless something was wrong before. Without a key it
    /// is about the entry. Whatever a user wrote there stays out of `why`, unless it is known to be
    /// no secret.
    void complain(std::string_view key, std::string_view why) const;

private:
    std::vector<std::string> texts_of(const YamlValue& list, std::string_view key) const;

    std::filesystem::path file_;
    std::string what_;
    const YamlValue* value_;
    std::size_t line_;  ///< of the nearest map that is there
    std::optional<Error>* problem_;
};

}  // namespace capstan::kubernetes
