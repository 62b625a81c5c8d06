// A folder with the files of [plugin.ID.tls], which tests renew and modify.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "../io/test_certificates.hpp"
#include "config/pipeline.hpp"

namespace capstan::plugin_runtime {

class TlsFolder {
public:
    io::TestAuthority authority;

    TlsFolder() {
        std::string name = testing::TempDir() + "/capstan-tls-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        folder_ = name;
        write("ca.pem", authority.pem());
        renew(authority.issue("first"));
    }
    TlsFolder(const TlsFolder&) = delete;
    TlsFolder& operator=(const TlsFolder&) = delete;
    ~TlsFolder() { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
    }
    void renew(const io::TestIdentity& identity) const {
        write("tls.crt", identity.certificate_pem());
        write("tls.key", identity.key_pem());
    }
    void remove(const std::string& name) const { std::filesystem::remove(path(name)); }
    config::PluginTls files() const {
        return {
            .ca_file = path("ca.pem"), .cert_file = path("tls.crt"), .key_file = path("tls.key")};
    }

private:
    std::filesystem::path folder_;
};

}  // namespace capstan::plugin_runtime
