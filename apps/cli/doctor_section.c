/*
 * Lays sections out: a label, and beside it words that continue below each other. Where the widest word
 * has no room there, the words go below the label.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "doctor_section.h"
#include "text.h"

/** The blanks before a fact that has no room beside its label. */
#define NARROW_INDENT 4

void doctor_section_begin(doctor_section *section, const char *title, size_t label_width)
{
    fprintf(section->out, "\n%s%s%s\n", cli_terminal_style(section->terminal, CLI_BOLD), title,
            cli_terminal_reset(section->terminal, CLI_BOLD));
    section->label_width = label_width;
}

/* Prints clean text word by word from column `column` on, and continues on lines of their own that begin at `indent`. */
static void put_words(const doctor_section *section, size_t column, size_t indent, char *text)
{
    size_t limit = section->terminal->width;
    bool fresh = true;
    for (char *word; (word = strsep(&text, " ")) != NULL;) {
        size_t width = cli_text_width(word);
        if (!fresh && limit != 0 && column + 1 + width > limit) {
            fprintf(section->out, "\n%*s%s", (int)indent, "", word);
            column = indent + width;
        } else {
            fprintf(section->out, "%s%s", fresh ? "" : " ", word);
            column += (fresh ? 0 : 1) + width;
        }
        fresh = false;
    }
}

static size_t widest_word(const char *text)
{
    size_t widest = 0;
    while (text[0] != '\0') {
        size_t length = strcspn(text, " ");
        char *word = strndup(text, length);
        size_t width = word != NULL ? cli_text_width(word) : 0;
        widest = width > widest ? width : widest;
        free(word);
        text += length + strspn(text + length, " ");
    }
    return widest;
}

/* Both texts are clean. */
static void put_fact(const doctor_section *section, const char *label, cli_style style, char *text)
{
    size_t used = cli_text_width(label);
    size_t width = used > section->label_width ? used : section->label_width;
    size_t indent = 2 + section->label_width + 2;
    size_t limit = section->terminal->width;
    bool is_narrow = limit != 0 && (indent > limit / 2 || indent + widest_word(text) > limit);
    fprintf(section->out, "  %s", label);
    if (text[0] != '\0') {
        indent = is_narrow ? NARROW_INDENT : indent;
        fprintf(section->out, "%s%*s%s", is_narrow ? "\n" : "", (int)(is_narrow ? NARROW_INDENT : width - used + 2), "",
                cli_terminal_style(section->terminal, style));
        put_words(section, is_narrow ? NARROW_INDENT : 2 + width + 2, indent, text);
        fputs(cli_terminal_reset(section->terminal, style), section->out);
    }
    fputc('\n', section->out);
}

void doctor_fact(doctor_section *section, const char *label, cli_style style, const char *format, ...)
{
    char *raw = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&raw, format, arguments);
    va_end(arguments);
    raw = length >= 0 ? raw : NULL;
    char *text = raw != NULL ? cli_text_clean(raw, section->terminal->utf8) : NULL;
    char *clean_label = cli_text_clean(label, section->terminal->utf8);
    if (text != NULL && clean_label != NULL) {
        put_fact(section, clean_label, style, text);
    } else {
        section->failed = true;
    }
    free(clean_label);
    free(text);
    free(raw);
}
