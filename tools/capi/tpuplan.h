#ifndef TPUPLAN_CAPI_TPUPLAN_H
#define TPUPLAN_CAPI_TPUPLAN_H

/* tpuplan for every language that can call C: a question as JSON, its answer as JSON. docs/ask.md has the questions. */

#include <stddef.h>

#if defined(__GNUC__)
#define TPUPLAN_API __attribute__((visibility("default")))
#else
#define TPUPLAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The answer to the question of `size` bytes, in UTF-8 and with a NUL behind it, to be given back with tpuplan_free.
   What is wrong with the question is an error in the answer. NULL only where memory ends. Safe from any thread. */
TPUPLAN_API char* tpuplan_ask(const char* question, size_t size);

/* The JSON Schema of all questions and answers, likewise. */
TPUPLAN_API char* tpuplan_schema(void);

/* Gives an answer back; of NULL, nothing. */
TPUPLAN_API void tpuplan_free(char* answer);

/* The version of the library, "0.1.0". */
TPUPLAN_API const char* tpuplan_version(void);

#ifdef __cplusplus
}
#endif

#endif
