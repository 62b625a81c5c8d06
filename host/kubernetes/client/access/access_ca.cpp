#include "kubernetes/client/access/access_ca.hpp"

#include <utility>

#include "kubernetes/client/access/credentials_file.hpp"

namespace capstan::kubernetes {

CaWatch::CaWatch(io::Loop& loop, std::filesystem::path file, std::string known, OnChange on_change,
                 OnTrouble on_trouble)
    : loop_(loop),
      later_(loop),
      file_(std::move(file)),
      known_(std::move(known)),
      on_change_(std::move(on_change)),
      on_trouble_(std::move(on_trouble)) {
    set_timer();
}

CaWatch::~CaWatch() { loop_.cancel(timer_); }

void CaWatch::set_timer() {
    // Guarded as well as cancelled: a timer that is about to fire cannot be cancelled any more.
    timer_ = loop_.after(ca_check_period, later_.guarded([this] { look(); }));
}

void CaWatch::look() {
    set_timer();
    auto text = read_pem_file(file_, PemKind::certificate);
    if (!text) {
        if (on_trouble_) on_trouble_(within("certificate authority", text.error()));
    } else if (*text != known_) {
        known_ = *std::move(text);
        on_change_(known_);
    }
}

}  // namespace capstan::kubernetes
