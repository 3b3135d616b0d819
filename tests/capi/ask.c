/* The C function, from C: answers, errors, and from several threads at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capi/tpuplan.h"

static int failures = 0;

static void check(int right, const char* what) {
  if (right) return;
  printf("FAIL %s\n", what);
  ++failures;
}

/* Whether the answer to a question contains some words. */
static int answers(const char* question, const char* words) {
  char* const answer = tpuplan_ask(question, strlen(question));
  const int found = answer != NULL && strstr(answer, words) != NULL;
  if (!found) printf("%s\n", answer == NULL ? "NULL" : answer);
  tpuplan_free(answer);
  return found;
}

static const char* const batch = "{\"schema\": \"tpuplan/1\", \"question\": \"batch\", \"request\": {\"chip\": \"v5e\"}}";
static const char* const typo = "{\"schema\": \"tpuplan/1\", \"question\": \"slices\", \"request\": {\"name\": \"v5e-24\"}}";

static void* many_questions(void* wrong) {
  for (int i = 0; i < 20; ++i) {
    if (!answers(batch, "\"critical_batch\":241") || !answers(typo, "v5litepod-16")) ++*(int*)wrong;
  }
  return NULL;
}

int main(void) {
  check(answers(batch, "\"critical_batch\":241"), "an answer");
  check(answers(typo, "\"code\":\"unknown_name\""), "an error with its code");
  check(answers("", "\"error\""), "nothing is an error");
  check(answers("{\"schema\"", "malformed_input"), "half a question is an error");
  char* const none = tpuplan_ask(NULL, 7);
  check(none != NULL && strstr(none, "\"error\"") != NULL, "NULL is an error");
  tpuplan_free(none);
  char* const cut = tpuplan_ask(batch, 10);
  check(cut != NULL && strstr(cut, "\"error\"") != NULL, "the size counts, not the NUL");
  tpuplan_free(cut);
  char* const schema = tpuplan_schema();
  check(schema != NULL && strstr(schema, "\"requests\"") != NULL, "the schema");
  tpuplan_free(schema);
  check(strlen(tpuplan_version()) >= 5, "the version");
  tpuplan_free(NULL);

  pthread_t threads[4];
  int wrong[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) check(pthread_create(&threads[i], NULL, many_questions, &wrong[i]) == 0, "a thread");
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    check(wrong[i] == 0, "answers in a thread");
  }
  printf(failures == 0 ? "PASS\n" : "%d failed\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
