/* libjwt 1 takes a key as text with every call, and knows no EdDSA. Claims are the caller's to check. */

#include <jwt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned char token[16384], key[16384], issuer[256], audience[256];
static int key_length;
static jwt_alg_t algorithm;

static void fail(const char *why) {
  fprintf(stderr, "libjwt: %s\n", why);
  exit(1);
}

/* Reads a file and ends it with a zero; its length without that. */
static int read_file(const char *folder, const char *name, const char *suffix, unsigned char *into, size_t room) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail(path);
  size_t length = fread(into, 1, room - 1, file);
  fclose(file);
  into[length] = 0;
  return (int)length;
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void verify_once(void) {
  jwt_t *jwt = NULL;
  if (jwt_decode(&jwt, (const char *)token, key, key_length) != 0) fail("the token is refused");
  if (jwt_get_alg(jwt) != algorithm) fail("another algorithm");
  const char *from = jwt_get_grant(jwt, "iss");
  const char *to = jwt_get_grant(jwt, "aud");
  long now = (long)time(NULL);
  if (from == NULL || strcmp(from, (const char *)issuer) != 0) fail("another issuer");
  if (to == NULL || strcmp(to, (const char *)audience) != 0) fail("another audience");
  if (jwt_get_grant_int(jwt, "exp") <= now || jwt_get_grant_int(jwt, "iat") > now) fail("another time");
  jwt_free(jwt);
}

static long verify(double seconds, double *used) {
  double begin = processor_time();
  long count = 0;
  do {
    for (int number = 0; number < 20; number++) verify_once();
    count += 20;
    *used = processor_time() - begin;
  } while (*used < seconds);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  algorithm = jwt_str_alg(argv[2]);
  if (algorithm == JWT_ALG_INVAL) return 3;
  double seconds = atof(argv[3]);
  double used = 0;
  read_file(argv[1], argv[2], ".jwt", token, sizeof token);
  read_file(argv[1], "issuer", "", issuer, sizeof issuer);
  read_file(argv[1], "audience", "", audience, sizeof audience);
  key_length = read_file(argv[1], argv[2], algorithm == JWT_ALG_HS256 ? ".key" : ".pem", key, sizeof key);
  verify(seconds / 4, &used);
  long count = verify(seconds, &used);
  printf("%ld %f %s\n", count, used, LIBJWT_VERSION);
  return 0;
}
