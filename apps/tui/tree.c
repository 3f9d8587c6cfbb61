/*
 * Parents are looked up in a table by pid; children are linked in lists, and the lists are walked without recursion, since a tree may be as
 * deep as there are processes. Parents that form a ring (a pid used again meanwhile) are cut open.
 */
#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "tree.h"

#define NONE SIZE_MAX

/* What is known of each row while the tree is made; places are those from before. */
struct node {
    size_t parent, first_child, last_child, next;
};

struct place_of_pid {
    uint64_t pid;
    size_t place;
};

static int compare_pids(const void *first, const void *second)
{
    const struct place_of_pid *one = first, *other = second;
    if (one->pid != other->pid) {
        return one->pid < other->pid ? -1 : 1;
    }
    return (one->place > other->place) - (one->place < other->place);
}

/* The first row of that process. */
static size_t find(const struct place_of_pid *places, size_t count, uint64_t pid)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places[middle].pid < pid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && places[low].pid == pid ? places[low].place : NONE;
}

static bool is_above(const struct node *nodes, size_t count, size_t candidate, size_t place)
{
    for (size_t steps = 0; candidate != NONE && steps <= count; steps++) {
        if (candidate == place) {
            return true;
        }
        candidate = nodes[candidate].parent;
    }
    return false;
}

/** So many ancestors that are on no GPU are asked for at the most: asking costs time, and the screen waits. */
#define ANCESTORS_MAX 256

/* The nearest ancestor among the rows; the pid that it begins with is that of the parent. */
static size_t find_ancestor(const struct place_of_pid *places, size_t count, uint64_t pid, size_t *asked)
{
    size_t place = find(places, count, pid);
    while (place == NONE && pid > 1 && *asked < ANCESTORS_MAX) {
        *asked += 1;
        pid = tui_os_parent_pid(pid);
        place = pid > 1 ? find(places, count, pid) : NONE;
    }
    return place;
}

/* Pids of one namespace have parents of the same; a foreign one has none here. */
static void find_parents(const tui_row *rows, struct node *nodes, const struct place_of_pid *places, size_t count)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t parent_pid = nvp_reading_uint(nvp_process_get(rows[i].process, NVP_PROCESS_PARENT_PID), 0);
        size_t parent =
            parent_pid == 0 || parent_pid == rows[i].key.pid ? NONE : find_ancestor(places, count, parent_pid, &asked);
        nodes[i].parent = parent != NONE && is_above(nodes, count, parent, i) ? NONE : parent;
    }
}

/* The list of the top level is that of nodes[count]. */
static void link_children(struct node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct node *parent = &nodes[nodes[i].parent == NONE ? count : nodes[i].parent];
        if (parent->first_child == NONE) {
            parent->first_child = i;
        } else {
            nodes[parent->last_child].next = i;
        }
        parent->last_child = i;
    }
}

static void emit(tui_row *to, const tui_row *from, const struct node *nodes, size_t place, unsigned int depth, uint64_t branches)
{
    *to = from[place];
    to->depth = depth;
    to->branches = branches;
    to->is_last = nodes[place].next == NONE;
}

static void walk(tui_row *to, const tui_row *from, const struct node *nodes, size_t count)
{
    size_t written = 0, place = nodes[count].first_child;
    unsigned int depth = 0;
    uint64_t branches = 0;
    while (place != NONE) {
        emit(&to[written++], from, nodes, place, depth, branches);
        if (nodes[place].first_child != NONE) {
            if (depth > 0 && depth < 64 && nodes[place].next != NONE) {
                branches |= UINT64_C(1) << (depth - 1);
            }
            depth++;
            place = nodes[place].first_child;
            continue;
        }
        while (place != NONE && nodes[place].next == NONE) {
            place = nodes[place].parent;
            depth -= depth > 0;
            if (depth > 0 && depth <= 64) {
                branches &= ~(UINT64_C(1) << (depth - 1));
            }
        }
        place = place == NONE ? NONE : nodes[place].next;
    }
}

bool tui_tree_arrange(tui_row *rows, size_t count)
{
    struct node *nodes = reallocarray(NULL, count + 1, sizeof *nodes);
    struct place_of_pid *places = reallocarray(NULL, count + 1, sizeof *places);
    tui_row *arranged = reallocarray(NULL, count + 1, sizeof *arranged);
    bool done = nodes != NULL && places != NULL && arranged != NULL;
    if (done) {
        for (size_t i = 0; i <= count; i++) {
            nodes[i] = (struct node){ NONE, NONE, NONE, NONE };
            places[i] = (struct place_of_pid){ i < count ? rows[i].key.pid : 0, i };
        }
        qsort(places, count, sizeof *places, compare_pids);
        find_parents(rows, nodes, places, count);
        link_children(nodes, count);
        walk(arranged, rows, nodes, count);
        memcpy(rows, arranged, count * sizeof *rows);
    }
    free(nodes);
    free(places);
    free(arranged);
    return done;
}
