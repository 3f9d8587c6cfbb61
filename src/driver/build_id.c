/*
 * Reads the build id from the notes of an ELF file. Maps and loads nothing: the file may be damaged, or half written.
 */
#include "driver/build_id.h"

#include "base/compiler.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX 4096
#define SEGMENTS_MAX 64

static bool read_at(int file, uint64_t offset, void *to, size_t size)
{
    return pread(file, to, size, (off_t)offset) == (ssize_t)size;
}

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static bool find_in_notes(const unsigned char *notes, size_t size, struct nvp__build_id *id)
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at <= size && size - at >= sizeof(note);) {
        memcpy(&note, notes + at, sizeof(note));
        at += sizeof(note);
        size_t rest = size - at;
        if (note.n_namesz > rest || note.n_descsz > rest || padded(note.n_namesz) + padded(note.n_descsz) > padded(rest)) {
            return false;
        }
        const unsigned char *content = notes + at + padded(note.n_namesz);
        bool is_gnu = note.n_namesz == sizeof("GNU") && memcmp(notes + at, "GNU", sizeof("GNU")) == 0;
        bool fits = note.n_descsz > 0 && note.n_descsz <= sizeof(id->bytes) && padded(note.n_namesz) + note.n_descsz <= rest;
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID && fits) {
            memcpy(id->bytes, content, note.n_descsz);
            id->size = note.n_descsz;
            return true;
        }
        at += padded(note.n_namesz) + padded(note.n_descsz);
    }
    return false;
}

static void read_notes(int file, struct nvp__build_id *id)
{
    unsigned char notes[NOTES_MAX];
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    if (!read_at(file, 0, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(segment)) {
        return;
    }
    for (size_t i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
        if (!read_at(file, header.e_phoff + i * sizeof(segment), &segment, sizeof(segment))) {
            return;
        }
        bool readable = segment.p_type == PT_NOTE && segment.p_filesz <= sizeof(notes);
        if (readable && read_at(file, segment.p_offset, notes, segment.p_filesz) && find_in_notes(notes, segment.p_filesz, id)) {
            return;
        }
    }
}

void nvp__build_id_read(const char *path, struct nvp__build_id *id)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    memset(id, 0, sizeof(*id));
    if (file >= 0) {
        read_notes(file, id);
        close(file);
    }
}

bool nvp__build_id_same(const struct nvp__build_id *one, const struct nvp__build_id *other)
{
    return one->size > 0 && one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}
