/* capstan/abi/abi.h - the whole boundary, for plugins written in C and for tools. */
#ifndef CAPSTAN_ABI_ABI_H
#define CAPSTAN_ABI_ABI_H

#include "autoprovision.h"
#include "cloud.h"
#include "controller.h"
#include "expander.h"
#include "group_source.h"
#include "plugin.h"
#include "services.h"
#include "similarity.h"
#include "splitter.h"

#endif
