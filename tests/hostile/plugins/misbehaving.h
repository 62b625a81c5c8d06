/* A plugin in C that violates one rule: `at` is the function, `act` the violation. All other
 * functions are correct. */
#ifndef MISBEHAVING_H
#define MISBEHAVING_H

#include <capstan/abi/abi.h>
#include <stdbool.h>
#include <stdint.h>

#define TEXT(literal) ((capstan_str){(literal), sizeof(literal) - 1})
#define ARRAY(data, count) ((capstan_array){(data), (uint32_t)(count), sizeof *(data)})

enum { word_size = 32, machines_max = 64 };

typedef struct misbehaving {
    const capstan_host* host;
    const capstan_exec* exec;
    const capstan_ops* ops;
    const capstan_log* log;
    char at[word_size], act[word_size];
    capstan_instance instance;
    const char* kind;  /* the kind of `table` */
    const void* table; /* one of the next three members */
    capstan_expander expander;
    capstan_cloud cloud;
    capstan_controller controller;
    capstan_cloud_templates templates;
    capstan_cloud_pricing pricing;
    capstan_cloud_options options;
    /* The state of the cloud, and its view. */
    int32_t target;
    int refreshes;
    capstan_group groups[2];
    capstan_machine machines[machines_max];
    char ids[machines_max][word_size];
    capstan_cloud_view view;
} misbehaving;

/* Whether the function `at` commits the violation `act`. */
bool breaks(const misbehaving* self, const char* at, const char* act);

/* acts.c: commits the violation if `at` is the configured function. May not return. */
void misbehave(const misbehaving* self, const char* at);
/* Starts a detached thread. */
void start_thread(void* (*run)(void*), void* with);
void pause_for_ms(long ms);
/* throwing.cpp */
void throw_through_c(void);

/* endings.c: ends an operation with this result, or as `act` demands if `at` is the configured
 * function. */
capstan_status end(const misbehaving* self, const char* at, capstan_op op, uint32_t type,
                   const void* result);
capstan_status fail_with(const misbehaving* self, capstan_op op, int32_t code, int64_t retry_ms);

/* One file each: fills the tables of the kind. */
void become_expander(misbehaving* self);
void become_cloud(misbehaving* self);
void become_controller(misbehaving* self);

#endif
