/// The certificate authority that an API server's certificate is checked with.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "io/loop.hpp"
#include "kubernetes/client/access/credentials_later.hpp"
#include "kubernetes/client/access/credentials_stored.hpp"

namespace capstan::kubernetes {

inline constexpr Duration ca_check_period = std::chrono::minutes(5);

/// Looks every five minutes whether the file has other certificates; open connections may run on,
/// new ones need them. Used on the loop's thread alone.
class CaWatch {
public:
    using OnChange = std::function<void(const std::string& ca_pem)>;
    /// Borrows the loop. `known` is what counts now. A file that cannot be read, or that holds no
    /// certificate, changes nothing and is told to `on_trouble`.
    CaWatch(io::Loop& loop, std::filesystem::path file, std::string known, OnChange on_change,
            OnTrouble on_trouble = {});
    CaWatch(const CaWatch&) = delete;
    CaWatch& operator=(const CaWatch&) = delete;
    /// Nobody is called afterwards.
    ~CaWatch();

private:
    void set_timer();
    void look();

    io::Loop& loop_;
    Later later_;
    const std::filesystem::path file_;
    std::string known_;
    OnChange on_change_;
    OnTrouble on_trouble_;
    io::TimerId timer_ = 0;
};

}  // namespace capstan::kubernetes
