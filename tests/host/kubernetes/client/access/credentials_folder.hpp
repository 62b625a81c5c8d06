/// A temporary folder and a loop on a manual clock.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"

namespace capstan::kubernetes::client {

class CredentialsFolder {
public:
    CredentialsFolder() {
        std::string name = ::testing::TempDir() + "/capstan-credentials-XXXXXX";
        root_ = std::filesystem::canonical(mkdtemp(name.data()));
    }
    ~CredentialsFolder() { std::filesystem::remove_all(root_); }
    CredentialsFolder(const CredentialsFolder&) = delete;
    CredentialsFolder& operator=(const CredentialsFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return root_ / name; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name, std::ios::binary) << text;
        return root_ / name;
    }
    /// An executable script for /bin/sh.
    std::filesystem::path script(const std::string& name, const std::string& lines) const {
        const std::filesystem::path file = write(name, "#!/bin/sh\n" + lines + "\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file;
    }
    std::string read(const std::string& name) const {
        std::ifstream in(root_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::filesystem::path root_;
};

struct VirtualLoop {
    boost::asio::io_context io{};
    std::shared_ptr<io::ManualClock> clock =
        std::make_shared<io::ManualClock>(Time(std::chrono::hours(24 * 365 * 50)));
    io::ManualLoop loop{io, clock};
};

/// Calls `get` once and keeps its result.
class CredentialRequest {
public:
    CredentialRequest(Credentials& credentials, io::ManualLoop& loop) {
        credentials.get([this](Result<Credential> result) { result_ = std::move(result); });
        EXPECT_FALSE(result_) << "called back inside get";
        loop.settle();
    }
    CredentialRequest(const CredentialRequest&) = delete;
    CredentialRequest& operator=(const CredentialRequest&) = delete;

    bool is_answered() const { return result_.has_value(); }
    const Result<Credential>& result() const { return *result_; }
    std::string header(const std::string& name) const {
        if (!result_ || !*result_) return result_ ? result_->error().message : "no answer";
        for (const auto& [key, value] : (*result_)->headers) {
            if (key == name) return value;
        }
        return {};
    }
    std::string error() const { return result_ && !*result_ ? result_->error().message : ""; }

private:
    std::optional<Result<Credential>> result_;
};

}  // namespace capstan::kubernetes::client
