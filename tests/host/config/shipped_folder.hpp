/// A folder laid out like the one of the shipped plugins, with empty files: the configuration reads
/// only their names.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "config/configuration.hpp"

namespace capstan::config {

class ShippedFolder {
public:
    explicit ShippedFolder(std::initializer_list<const char*> files) {
        std::string name = testing::TempDir() + "/capstan-shipped-XXXXXX";
        root_ = std::filesystem::canonical(mkdtemp(name.data()));
        for (const char* file : files) {
            std::filesystem::create_directories((root_ / file).parent_path());
            std::ofstream(root_ / file) << "";
        }
    }
    ~ShippedFolder() { std::filesystem::remove_all(root_); }
    ShippedFolder(const ShippedFolder&) = delete;
    ShippedFolder& operator=(const ShippedFolder&) = delete;

    const std::filesystem::path& root() const { return root_; }
    ShippedPlugins plugins() const { return ShippedPlugins(root_); }

private:
    std::filesystem::path root_;
};

}  // namespace capstan::config
