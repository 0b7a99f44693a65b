package graph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Dependency is an earlier node that a node waits for.
type Dependency struct {
	On    Node
	Added bool // by After
	// Memory names a memory that both access and one of them writes, "" for none.
	Memory string
}

// Dependencies returns the nodes that a node waits for directly, in order.
func (g *Graph) Dependencies(n Node) ([]Dependency, error) {
	if err := g.check("Dependencies", n); err != nil {
		return nil, err
	}
	return g.dependencies()[n], nil
}

// dependencies returns those of all nodes.
func (g *Graph) dependencies() [][]Dependency {
	all := make([][]Dependency, len(g.nodes))
	var t accessTracker
	for i := range g.nodes {
		n := &g.nodes[i]
		for _, o := range t.add(i, n.spans()) {
			all[i] = append(all[i], Dependency{On: Node(o.step), Memory: g.memoryName(Node(i), o.Key)})
		}
		if n.isCallback() {
			all[i] = nil
			for j := range i {
				all[i] = append(all[i], Dependency{On: Node(j)})
			}
		}
		for _, o := range n.after {
			if at := slices.IndexFunc(all[i], func(d Dependency) bool { return d.On == o }); at >= 0 {
				all[i][at].Added = true
			} else {
				all[i] = append(all[i], Dependency{On: o, Added: true})
			}
		}
		slices.SortFunc(all[i], func(a, b Dependency) int { return int(a.On - b.On) })
	}
	return all
}

// spans returns what a node accesses.
func (n *node) spans() (spans []stream.Span) {
	if n.body == nil {
		return n.work.Hazards(nil)
	}
	if n.cond != nil {
		spans = append(spans, stream.SpanOf(stream.BufferOf(n.cond), false))
	}
	for i := range n.body.nodes {
		spans = append(spans, n.body.nodes[i].spans()...)
	}
	return spans
}

// memoryName returns the name of a memory that a node accesses.
func (g *Graph) memoryName(n Node, key uint64) (name string) {
	find := func(v stream.View) {
		if v.Mem != nil && v.Mem.Id<<1 == key {
			name = v.Mem.String()
		}
	}
	var visit func(n *node)
	visit = func(n *node) {
		if n.cond != nil {
			find(stream.BufferOf(n.cond))
		}
		if n.body == nil {
			for _, a := range n.work.Accesses(nil) {
				find(a.View)
				if a.Commands != nil && a.Commands.ID<<1 == key {
					name = a.Commands.Life.String()
				}
			}
			return
		}
		for i := range n.body.nodes {
			visit(&n.body.nodes[i])
		}
	}
	if visit(&g.nodes[n]); name == "" {
		name = "a texture of Metal"
	}
	return name
}

// accessTracker finds the steps that a step depends on, among those before it.
type accessTracker struct{ byKey map[uint64][]stepAccess }

type stepAccess struct {
	stream.Span
	step int
}

// add adds a step with its accesses and returns one conflicting access of each earlier step that it
// must wait for. An access that a later write has covered is forgotten: that write waits for it.
func (t *accessTracker) add(step int, spans []stream.Span) (conflicts []stepAccess) {
	if t.byKey == nil {
		t.byKey = map[uint64][]stepAccess{}
	}
	for i := range spans {
		s := &spans[i]
		list := t.byKey[s.Key]
		kept := list[:0]
		for _, o := range list {
			overlap := o.From < s.To && s.From < o.To
			if o.step != step && overlap && (o.Writes || s.Writes) &&
				!slices.ContainsFunc(conflicts, func(c stepAccess) bool { return c.step == o.step }) {
				conflicts = append(conflicts, o)
			}
			if o.step == step || !s.Writes || o.From < s.From || s.To < o.To {
				kept = append(kept, o)
			}
		}
		t.byKey[s.Key] = append(kept, stepAccess{*s, step})
	}
	return conflicts
}

// graphStep is a node without children: a command, a condition or a loop.
type graphStep struct {
	path  string // "2", or "2.1" for node 1 of child 2
	node  *node
	after []int // steps
	level int   // 1 + the largest level of the steps that it depends on
}

// steps replaces children by their nodes, and computes dependencies and levels.
func (g *Graph) steps() []graphStep {
	var f flattener
	f.add(g, "", nil)
	highest := 0
	for i := range f.steps {
		s := &f.steps[i]
		for _, d := range s.after {
			s.level = max(s.level, f.steps[d].level+1)
		}
		if s.node.isCallback() && i > 0 { // after all before it
			s.level = highest + 1
		}
		highest = max(highest, s.level)
	}
	return f.steps
}

type flattener struct {
	steps    []graphStep
	accesses accessTracker
}

// add adds the nodes of a graph, all after the given steps, and returns the numbers of their steps.
func (f *flattener) add(g *Graph, prefix string, after []int) (all []int) {
	numbers := make([][]int, len(g.nodes))
	for i := range g.nodes {
		n := &g.nodes[i]
		wait := slices.Clone(after)
		for _, o := range n.after {
			wait = append(wait, numbers[o]...)
		}
		path := fmt.Sprint(prefix, i)
		if n.body != nil && n.cond == nil {
			numbers[i] = f.add(n.body, path+".", wait)
		} else {
			at := len(f.steps)
			for _, c := range f.accesses.add(at, n.spans()) {
				wait = append(wait, c.step)
			}
			slices.Sort(wait)
			f.steps = append(f.steps, graphStep{path: path, node: n, after: slices.Compact(wait)})
			numbers[i] = []int{at}
		}
		all = append(all, numbers[i]...)
	}
	return all
}

// WriteDOT writes the graph in the language of Graphviz. Solid edges follow from memory, dashed
// ones from [Graph.After]; bodies of children, conditions and loops are clusters.
func (g *Graph) WriteDOT(to io.Writer) error {
	if err := g.usable("WriteDOT"); err != nil {
		return err
	}
	if to == nil {
		return stream.NilError("graph: WriteDOT: the writer")
	}
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "digraph %q {\n\tcompound=true;\n\tnode [shape=box];\n", g.label)
	g.writeDOT(w, "n", "\t")
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// writeDOT writes nodes and edges. The names of nodes begin with prefix.
func (g *Graph) writeDOT(w io.Writer, prefix, indent string) {
	for i := range g.nodes {
		n := &g.nodes[i]
		label := fmt.Sprintf("%d: %s", i, n.describe())
		if l := n.launch(); l != nil {
			unit := "groups"
			if l.Threads {
				unit = "threads"
			}
			label += fmt.Sprintf("\n%s %s in %s", sizeText(l.Grid), unit, sizeText(l.Group))
		}
		name := fmt.Sprint(prefix, i)
		if n.body == nil {
			fmt.Fprintf(w, "%s%q [label=%s];\n", indent, name, quoteDOT(label))
			continue
		}
		fmt.Fprintf(w, "%ssubgraph %q {\n%s\tlabel=%s;\n%s\t%q [shape=point, style=invis];\n", indent, "cluster_"+name,
			indent, quoteDOT(label), indent, name)
		n.body.writeDOT(w, name+"_", indent+"\t")
		fmt.Fprintf(w, "%s}\n", indent)
	}
	for i, list := range g.dependencies() {
		for _, d := range list {
			var attributes []string
			if d.Added {
				attributes = append(attributes, "style=dashed")
			}
			for _, end := range []struct {
				what string
				node Node
			}{{"ltail", d.On}, {"lhead", Node(i)}} {
				if g.nodes[end.node].body != nil {
					attributes = append(attributes, fmt.Sprintf("%s=\"cluster_%s%d\"", end.what, prefix, end.node))
				}
			}
			if d.Memory != "" {
				attributes = append(attributes, "tooltip="+quoteDOT(d.Memory))
			}
			fmt.Fprintf(w, "%s\"%s%d\" -> \"%s%d\" [%s];\n", indent, prefix, d.On, prefix, i, strings.Join(attributes, ", "))
		}
	}
}

// quoteDOT quotes a label; the language keeps other backslashes.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func sizeText(s mtl.Size) string { return fmt.Sprintf("%dx%dx%d", s.Width, s.Height, s.Depth) }
