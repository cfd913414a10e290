#define _GNU_SOURCE
#include "symbols.h"

#include <elf.h>
#include <link.h>

// The tables of one image.
typedef struct image {
  uintptr_t base;
  const ElfW(Sym) *symbols;
  const char *names;
  const uint16_t *versions;
  const uint32_t *hashes;  // DT_GNU_HASH
  const uint32_t *plain;   // DT_HASH
} image;

// The linker has replaced offsets by addresses in all images except the kernel's.
static uintptr_t pointer(uintptr_t base, uintptr_t value) { return value < base ? base + value : value; }

static image image_at(uintptr_t base, const ElfW(Dyn) *entry) {
  image found = {.base = base};
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    uintptr_t value = pointer(found.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) found.symbols = (const ElfW(Sym) *)value;
    if (entry->d_tag == DT_STRTAB) found.names = (const char *)value;
    if (entry->d_tag == DT_VERSYM) found.versions = (const uint16_t *)value;
    if (entry->d_tag == DT_GNU_HASH) found.hashes = (const uint32_t *)value;
    if (entry->d_tag == DT_HASH) found.plain = (const uint32_t *)value;
  }
  return found;
}

static image image_of(const struct dl_phdr_info *info) {
  const ElfW(Dyn) *entry = NULL;
  for (size_t index = 0; index < info->dlpi_phnum; index++)
    if (info->dlpi_phdr[index].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
  return image_at(info->dlpi_addr, entry);
}

static bool is_same(const char *one, const char *other) {
  while (*one != 0 && *one == *other) one++, other++;
  return *one == *other;
}

// A hidden version is an old one, for programs that were linked long ago.
static bool is_wanted(const image *in, uint32_t index, const char *name) {
  enum { HIDDEN = 0x8000, TYPES = 0xF };
  const ElfW(Sym) *row = &in->symbols[index];
  if (row->st_shndx == SHN_UNDEF || row->st_value == 0 || (row->st_info & TYPES) == STT_TLS) return false;
  if (in->versions != NULL && (in->versions[index] & HIDDEN) != 0) return false;
  return is_same(in->names + row->st_name, name);
}

static const ElfW(Sym) *found_by_hash(const image *in, const char *name) {
  enum { WORD = sizeof(ElfW(Addr)) * 8 };
  uint32_t hash = 5381;
  for (const char *letter = name; *letter != 0; letter++) hash = hash * 33 + (uint8_t)*letter;
  uint32_t bucket_count = in->hashes[0], first = in->hashes[1], word_count = in->hashes[2], shift = in->hashes[3];
  const ElfW(Addr) *words = (const ElfW(Addr) *)(in->hashes + 4);
  ElfW(Addr) word = words[hash / WORD % word_count];
  if (((word >> hash % WORD) & (word >> (hash >> shift) % WORD) & 1) == 0) return NULL;
  const uint32_t *buckets = (const uint32_t *)(words + word_count), *chain = buckets + bucket_count;
  uint32_t index = buckets[hash % bucket_count];
  if (index < first) return NULL;
  for (;; index++) {
    uint32_t other = chain[index - first];
    if ((other | 1) == (hash | 1) && is_wanted(in, index, name)) return &in->symbols[index];
    if ((other & 1) != 0) return NULL;
  }
}

static const ElfW(Sym) *found_in(const image *in, const char *name) {
  if (in->symbols == NULL || in->names == NULL) return NULL;
  if (in->hashes != NULL) return found_by_hash(in, name);
  for (uint32_t index = 1; in->plain != NULL && index < in->plain[1]; index++)
    if (is_wanted(in, index, name)) return &in->symbols[index];
  return NULL;
}

static uintptr_t address_of(const image *in, const ElfW(Sym) *row) {
  enum { TYPES = 0xF };
  uintptr_t address = in->base + row->st_value;
  return (row->st_info & TYPES) == STT_GNU_IFUNC ? ((uintptr_t(*)(void))address)() : address;
}

static bool has(const struct dl_phdr_info *info, uintptr_t address) {
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    uintptr_t from = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && address >= from && address < from + segment->p_memsz) return true;
  }
  return false;
}

static bool is_own(const struct dl_phdr_info *info) { return has(info, (uintptr_t)is_own); }

// MARK: - All images

typedef int (*looker)(struct dl_phdr_info *info, size_t size, void *given);
typedef int (*iterator)(looker look, void *given);

// Calls a function with each image, through the C library's own dl_iterate_phdr. A sanitizer replaces that function,
// and its replacement does not work before the sanitizer is ready; memory is freed before then. The linker's list of
// images is read without a lock, once, when the program begins.
static void each_image(looker look, void *given) {
  static iterator known;
  iterator iterate = __atomic_load_n(&known, __ATOMIC_RELAXED);
  for (const struct link_map *map = _r_debug.r_map; iterate == NULL && map != NULL; map = map->l_next) {
    image in = image_at(map->l_addr, map->l_ld);
    if (found_in(&in, "gnu_get_libc_version") == NULL) continue;
    const ElfW(Sym) *row = found_in(&in, "dl_iterate_phdr");
    if (row != NULL) iterate = (iterator)address_of(&in, row);
  }
  if (iterate == NULL) iterate = dl_iterate_phdr;
  __atomic_store_n(&known, iterate, __ATOMIC_RELAXED);
  iterate(look, given);
}

// MARK: - Behind this library

typedef struct wanted {
  const char *const *names;
  void **found;
  size_t count, missing;
  bool is_behind;
} wanted;

static int look_behind(struct dl_phdr_info *info, size_t size, void *given) {
  (void)size;
  wanted *all = given;
  if (!all->is_behind) {
    all->is_behind = is_own(info);
    return 0;
  }
  image in = image_of(info);
  for (size_t index = 0; index < all->count; index++) {
    if (all->found[index] != NULL) continue;
    const ElfW(Sym) *row = found_in(&in, all->names[index]);
    if (row == NULL) continue;
    __atomic_store_n(&all->found[index], (void *)address_of(&in, row), __ATOMIC_RELAXED);
    all->missing--;
  }
  return all->missing == 0;
}

void symbols_behind(const char *const *names, void **found, size_t count) {
  wanted all = {.names = names, .found = found, .count = count, .missing = count};
  each_image(look_behind, &all);
}

void *symbol_behind(const char *name) {
  void *found = NULL;
  symbols_behind(&name, &found, 1);
  return found;
}

// MARK: - From the program on

typedef struct first { const char *name; symbol found; } first;

static int look_first(struct dl_phdr_info *info, size_t size, void *given) {
  (void)size;
  first *wanted = given;
  image in = image_of(info);
  const ElfW(Sym) *row = found_in(&in, wanted->name);
  if (row == NULL) return 0;
  symbol *found = &wanted->found;
  *found = (symbol){.address = address_of(&in, row), .size = row->st_size, .is_ours = is_own(info)};
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t from = in.base + segment->p_vaddr, to = from + segment->p_memsz;
    if (found->image_to == 0 || from < found->image_from) found->image_from = from;
    if (to > found->image_to) found->image_to = to;
  }
  return 1;
}

symbol symbol_first(const char *name) {
  first wanted = {.name = name};
  each_image(look_first, &wanted);
  return wanted.found;
}
