/*
 * Finds out what is being typed: a command, an option, its argument or an operand. Everything comes from the tables of the commands, so
 * there is nothing here that could be forgotten.
 */
#include <limits.h>
#include <string.h>

#include "complete.h"

void complete_offer(const complete_word *word, const char *candidate, const char *description)
{
    if (strncmp(candidate, word->text, strlen(word->text)) != 0) {
        return;
    }
    fprintf(word->out, "%.*s%s", (int)word->prefix_length, word->prefix, candidate);
    if (description != NULL && description[0] != '\0') {
        fprintf(word->out, "\t%s", description);
    }
    fputc('\n', word->out);
}

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, int letter)
{
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (option->key <= UCHAR_MAX && option->key == letter) {
            return option;
        }
    }
    return NULL;
}

static const cli_option *find_name(const cli_command *command, const char *name, size_t length)
{
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (strncmp(option->name, name, length) == 0 && option->name[length] == '\0') {
            return option;
        }
    }
    return NULL;
}

/* The option whose argument is the next word; NULL when the word wants none. */
static const cli_option *wanting(const cli_command *command, const char *word)
{
    if (strncmp(word, "--", 2) == 0) {
        const cli_option *option = find_name(command, word + 2, strlen(word + 2));
        return option != NULL && option->argument != NULL ? option : NULL;
    }
    for (const char *letter = word + 1; word[0] == '-' && *letter != '\0'; letter++) {
        const cli_option *option = find_letter(command, (unsigned char)*letter);
        if (option == NULL || option->argument != NULL) {
            return option != NULL && letter[1] == '\0' ? option : NULL; /* else its argument follows in the same word */
        }
    }
    return NULL;
}

static void offer_options(const cli_command *command, const complete_word *word)
{
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        char name[80];
        snprintf(name, sizeof name, "--%s", option->name);
        complete_offer(word, name, option->help);
    }
}

static void offer_commands(const complete_word *word)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        if (!cli_commands[i]->is_hidden) {
            complete_offer(word, cli_commands[i]->name, cli_commands[i]->summary);
        }
    }
    if (word->text[0] == '-') {
        complete_offer(word, "--help", "print an overview");
        complete_offer(word, "--version", "print the version");
    }
}

/** Where the word that is being typed stands. */
struct place {
    const cli_option *option; /* its argument is typed */
    bool options_ended;
    int operand; /* the number of operands before it */
    int command; /* where another program's command line begins; 0: nowhere */
};

static struct place find_place(const cli_command *command, int count, char **words)
{
    struct place place = { NULL, false, 0, 0 };
    for (int i = 1; i < count - 1; i++) {
        const char *word = words[i];
        if (place.option != NULL) {
            place.option = NULL;
        } else if (!place.options_ended && strcmp(word, "--") == 0) {
            place.options_ended = true;
            place.command = command->operands_end_options ? i + 1 : 0;
        } else if (!place.options_ended && word[0] == '-' && word[1] != '\0') {
            place.option = wanting(command, word);
        } else {
            if (command->operands_end_options && !place.options_ended) {
                place.options_ended = true;
                place.command = i;
            }
            place.operand++;
        }
    }
    return place;
}

void complete_words(int count, char **words, FILE *out)
{
    const char *last = words[count - 1];
    complete_word word = { "", 0, last, out };
    const cli_command *command = count > 1 ? find_command(words[0]) : NULL;
    if (count == 1) {
        offer_commands(&word);
        return;
    }
    if (command == NULL) {
        return;
    }
    struct place place = find_place(command, count, words);
    const char *equals = strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;
    if (place.command > 0) {
        fprintf(out, ":command %d\n", place.command);
    } else if (place.option != NULL) {
        complete_argument(command, place.option, word);
    } else if (!place.options_ended && equals != NULL) {
        const cli_option *option = find_name(command, last + 2, (size_t)(equals - last - 2));
        word = (complete_word){ last, (size_t)(equals + 1 - last), equals + 1, out };
        if (option != NULL && option->argument != NULL) {
            complete_argument(command, option, word);
        }
    } else if (!place.options_ended && (last[0] == '-' || command->operands[0] == '\0')) {
        offer_options(command, &word);
    } else {
        complete_operand(command, place.operand, &word);
    }
}
