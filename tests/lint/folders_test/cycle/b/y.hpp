#include "a/x.hpp"
