// Throws an exception through C code, as a C++ plugin without noexcept or an unwinding Rust plugin
// can.
#include <stdexcept>

extern "C" void tiny_throw();
void tiny_throw() { throw std::runtime_error("through C"); }
