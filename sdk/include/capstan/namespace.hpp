/// The C++ layer is in an inline namespace that is named after the required ABI minor, so that two
/// files of a plugin with different minors fail to link instead of disagreeing about the layout of
/// a class.
#pragma once

#include <capstan/abi/base.h>

#define CAPSTAN_DETAIL_JOIN_(a, b) a##b
#define CAPSTAN_DETAIL_JOIN(a, b) CAPSTAN_DETAIL_JOIN_(a, b)
#define CAPSTAN_API CAPSTAN_DETAIL_JOIN(v1_, CAPSTAN_ABI_MINOR)

#define CAPSTAN_NAMESPACE_BEGIN \
    namespace capstan {         \
    inline namespace CAPSTAN_API {
#define CAPSTAN_NAMESPACE_END \
    }                         \
    }
