/*
 * Puts rows into the order of a tree of processes.
 */
#ifndef TUI_TREE_H
#define TUI_TREE_H

#include "processes.h"

/**
 * Children behind their parent, in the order that they had; fills depth, branches and is_last. A process is the child of its nearest
 * ancestor among the rows. False when memory runs out; the rows are as they were then.
 */
bool tui_tree_arrange(tui_row *rows, size_t count);

#endif
