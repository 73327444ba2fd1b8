// Outlining: nodes of a graph become the body of one node that stands for them, and back.
#ifndef TERN_GRAPH_OUTLINE_H_
#define TERN_GRAPH_OUTLINE_H_

#include "graph/op.h"

// Moves `nodes`, all of one graph, in its order, without subgraphs of their own and such that no
// path leaves them and comes back, into the body of a new node of `op`, whose one attribute is the
// graph. Its inputs are the values that the nodes read and do not make, constants apart, which the
// body reads as it is; its outputs are those that somebody else reads, and keep their names. Nodes
// between them that read an output move behind the new node. After an error the graph is of no use.
TERN_MUST_USE tern_status *tern_graph_outline(tern_graph *graph, const tern_op *op,
                                              tern_node *const *nodes, int32_t count,
                                              tern_node **out_node);
// The other way round: the nodes of the body take the place of `node`, which is removed.
TERN_MUST_USE tern_status *tern_graph_undo_outline(tern_node *node);

#endif
