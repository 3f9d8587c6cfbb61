/*
 * Decodes UTF-8 itself, so that text from a driver or from /proc is handled alike in every locale. Never trusts a byte.
 */
#include <langinfo.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

#include <text/text.h>

/* With these a name could pass for another one, or turn round what stands beside it. Sorted. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    { 0x0000, 0x001f },   /* C0 */
    { 0x007f, 0x009f },   /* DEL and C1 */
    { 0x061c, 0x061c },   /* Arabic letter mark */
    { 0x180e, 0x180e },   /* a separator of vowels that takes no room */
    { 0x200b, 0x200f },   /* spaces and joiners without a width; marks of direction */
    { 0x2028, 0x202e },   /* separators of lines and paragraphs; embeddings and overrides of direction */
    { 0x2060, 0x206f },   /* joiners, operators that cannot be seen, isolates of direction */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xfff9, 0xfffb },   /* annotations between lines */
    { 0xe0000, 0xe007f }, /* tags */
};

bool text_locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Reads one character at `*text` and moves past it; a bad sequence gives TEXT_REPLACEMENT and moves one byte. */
static uint32_t decode(const char **text)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)*text;
    size_t length = bytes[0] < 0x80 ? 1 : bytes[0] >> 5 == 6 ? 2 : bytes[0] >> 4 == 14 ? 3 : bytes[0] >> 3 == 30 ? 4 : 0;
    *text += 1;
    if (length == 0) {
        return TEXT_REPLACEMENT;
    }
    if (length == 1) {
        return bytes[0];
    }
    uint32_t character = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return TEXT_REPLACEMENT;
        }
        character = character << 6 | (bytes[i] & 0x3fu);
    }
    if (character < smallest[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) {
        return TEXT_REPLACEMENT;
    }
    *text += length - 1;
    return character;
}

static bool is_hidden(uint32_t character)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && character >= hidden[i].first; i++) {
        if (character <= hidden[i].last) {
            return true;
        }
    }
    return false;
}

uint32_t text_next(const char **text)
{
    unsigned char first = (unsigned char)**text;
    if (first >= 0x20 && first < 0x7f) {
        *text += 1;
        return first;
    }
    if (first == '\0') {
        return 0;
    }
    uint32_t character = decode(text);
    if (character == '\n' || character == '\t') {
        return ' ';
    }
    return is_hidden(character) ? TEXT_REPLACEMENT : character;
}

int text_character_width(uint32_t character)
{
    if (character < 0x80) {
        return 1;
    }
    int width = wcwidth((wchar_t)character);
    return width < 0 ? 1 : width;
}
