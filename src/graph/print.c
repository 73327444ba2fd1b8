// Graphs as text: what a person reads when a pass or an import surprises.
#include "graph/import.h"

// Lists longer than this are cut.
enum { MAX_LISTED = 16 };

static void print_type(tern_text *text, const tern_model *model, const tern_type *type) {
  if (type->kind != TERN_KIND_TENSOR) {
    char buffer[TERN_TYPE_TEXT_BYTES];
    tern_text_printf(text, "%s", tern_type_format(type, buffer, sizeof buffer));
    return;
  }
  tern_text_printf(text, "%s", tern_dtype_name(type->dtype));
  if (type->shape.rank < 0) return;
  tern_text_printf(text, "[");
  for (int32_t i = 0; i < type->shape.rank; ++i) {
    tern_dim dim = type->shape.dims[i];
    const char *symbol = tern_model_symbol_name(model, dim);
    if (i > 0) tern_text_printf(text, ",");
    if (dim >= 0)
      tern_text_printf(text, "%lld", (long long)dim);
    else if (symbol[0])
      tern_text_printf(text, "%s", symbol);
    else if (dim == TERN_DIM_UNKNOWN)
      tern_text_printf(text, "?");
    else
      tern_text_printf(text, "s%lld", (long long)(TERN_DIM_FIRST_SYMBOL - dim));
  }
  tern_text_printf(text, "]");
}

static void print_edge(tern_text *text, const tern_edge *edge) {
  if (!edge) {
    tern_text_printf(text, "_");
    return;
  }
  tern_text_printf(text, "%%%s: ", edge->name);
  print_type(text, edge->graph->model, &edge->type);
}

static void print_list(tern_text *text, const tern_attr *attr) {
  tern_text_printf(text, "[");
  for (size_t i = 0; i < attr->count && i < MAX_LISTED; ++i) {
    if (i > 0) tern_text_printf(text, ", ");
    if (attr->type == TERN_ATTR_INTS)
      tern_text_printf(text, "%lld", (long long)attr->u.ints[i]);
    else if (attr->type == TERN_ATTR_FLOATS)
      tern_text_printf(text, "%g", (double)attr->u.floats[i]);
    else
      tern_text_printf(text, "\"%s\"", attr->u.strings[i].data);
  }
  tern_text_printf(text, attr->count > MAX_LISTED ? ", …]" : "]");
}

static void print_tensor(tern_text *text, const tern_value *value) {
  tern_type type;
  char buffer[TERN_TYPE_TEXT_BYTES];
  tern_value_get_type(value, &type);
  tern_text_printf(text, "%s", tern_type_format(&type, buffer, sizeof buffer));
}

static void print_attr(tern_text *text, const tern_attr *attr) {
  tern_text_printf(text, "%s=", attr->name);
  switch (attr->type) {
  case TERN_ATTR_INT:
    tern_text_printf(text, "%lld", (long long)attr->u.i);
    break;
  case TERN_ATTR_FLOAT:
    tern_text_printf(text, "%g", (double)attr->u.f);
    break;
  case TERN_ATTR_STRING:
    tern_text_printf(text, "\"%s\"", attr->u.s.data);
    break;
  case TERN_ATTR_TENSOR:
    print_tensor(text, attr->u.tensor);
    break;
  case TERN_ATTR_INTS:
  case TERN_ATTR_FLOATS:
  case TERN_ATTR_STRINGS:
    print_list(text, attr);
    break;
  default:
    tern_text_printf(text, "(%d)", (int)attr->type);
    break;
  }
}

static void print_graph(tern_text *text, const tern_graph *graph, int depth);

static void print_node(tern_text *text, const tern_node *node, int depth) {
  tern_text_printf(text, "%*s", depth * 2, "");
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (i > 0) tern_text_printf(text, ", ");
    print_edge(text, node->outputs[i]);
  }
  tern_text_printf(text, " = %s%s%s(", node->op->domain, node->op->domain[0] ? "." : "",
                   node->op->name);
  for (int32_t i = 0; i < node->input_count; ++i)
    tern_text_printf(text, "%s%s%s", i > 0 ? ", " : "", node->inputs[i] ? "%" : "_",
                     node->inputs[i] ? node->inputs[i]->name : "");
  tern_text_printf(text, ")");
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    const tern_attr *attr = &node->attrs[i];
    if (attr->type == TERN_ATTR_UNDEFINED || attr->type == TERN_ATTR_GRAPH) continue;
    tern_text_printf(text, " ");
    print_attr(text, attr);
  }
  if (node->name[0]) tern_text_printf(text, "  \"%s\"", node->name);
  tern_text_printf(text, "\n");
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type != TERN_ATTR_GRAPH) continue;
    tern_text_printf(text, "%*s%s:\n", depth * 2 + 2, "", node->attrs[i].name);
    print_graph(text, node->attrs[i].u.graph, depth + 2);
  }
}

static void print_graph(tern_text *text, const tern_graph *graph, int depth) {
  tern_text_printf(text, "%*sgraph \"%s\" (", depth * 2, "", graph->name);
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    if (i > 0) tern_text_printf(text, ", ");
    print_edge(text, graph->inputs.data[i]);
  }
  tern_text_printf(text, ")\n");
  for (size_t i = 0; i < graph->initializers.count; ++i) {
    tern_text_printf(text, "%*s", depth * 2 + 2, "");
    print_edge(text, graph->initializers.data[i]);
    tern_text_printf(text,
                     graph->initializers.data[i]->is_input ? " = default\n" : " = constant\n");
  }
  for (const tern_node *node = graph->first; node; node = node->next)
    print_node(text, node, depth + 1);
  tern_text_printf(text, "%*sreturn", depth * 2 + 2, "");
  for (size_t i = 0; i < graph->outputs.count; ++i)
    tern_text_printf(text, "%s%%%s", i > 0 ? ", " : " ", graph->outputs.data[i]->name);
  tern_text_printf(text, "\n");
}

void tern_graph_print(const tern_graph *graph, tern_text *out_text) {
  print_graph(out_text, graph, 0);
}
