package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// Field is a member of a structure.
type Field struct {
	Name, Type   string
	Offset, Size int // bytes
}

// Layout is an array of structures in a buffer.
type Layout struct {
	Fields      []Field
	Size, Count int // bytes of a structure, and how many there are
}

// Split rearranges a buffer of structures into an array for each member; [Layout.Split] does the
// same with the data. The kernel must use the buffer by the members of its structures only.
func (k *Kernel) Split(buffer string, l Layout) (string, error) {
	b, err := k.memory(buffer)
	if err != nil {
		return "", err
	}
	var edits []edit
	for _, u := range k.uses[buffer] {
		x, path, ok := accessOf(u)
		if !ok {
			return "", k.not(u.node, "uses %s otherwise than by its elements", buffer)
		}
		var m *ast.MemberExpr
		if n := len(path); n > 0 {
			m, _ = path[n-1].(*ast.MemberExpr)
		}
		if m == nil {
			return "", k.not(x, "uses a whole element of %s", buffer)
		}
		i := slices.IndexFunc(l.Fields, func(f Field) bool { return f.Name == m.Name.Simple() })
		if i < 0 {
			return "", k.not(m, "uses a member %s of %s that is a structure or an array", k.text(m.Name), buffer)
		}
		f, constant := l.Fields[i], ""
		if b.constant {
			constant = "const "
		}
		edits = append(edits, edit{k.file.Offset(x.Pos()), k.file.Offset(x.Index.Pos()),
			fmt.Sprintf("((%s %s%s *)((%[1]s %[2]suchar *)%[4]s + %[5]d))[", b.space, constant, f.Type, buffer,
				f.Offset*l.Count)},
			edit{k.file.Offset(x.End()), k.file.Offset(m.End()), ""})
	}
	if len(edits) == 0 {
		return "", fmt.Errorf("%w: kernel %s does not use %s", ErrNot, k.name, buffer)
	}
	return k.apply(edits), nil
}

// Split moves each byte of an array of structures to where the changed kernel has it; with back it
// undoes that. Bytes after the array stay.
func (l Layout) Split(data []byte, back bool) []byte {
	out := slices.Clone(data)
	// Bytes that belong to no field are moved like fields of a byte.
	fields := slices.Clone(l.Fields)
	for at := range l.Size {
		if !slices.ContainsFunc(l.Fields, func(f Field) bool { return at >= f.Offset && at < f.Offset+f.Size }) {
			fields = append(fields, Field{Offset: at, Size: 1})
		}
	}
	for _, f := range fields {
		for i := range l.Count {
			structure, array := i*l.Size+f.Offset, f.Offset*l.Count+i*f.Size
			if back {
				copy(out[structure:][:f.Size], data[array:])
			} else {
				copy(out[array:][:f.Size], data[structure:])
			}
		}
	}
	return out
}

// Privatize lets each threadgroup add to counters of its own, in threadgroup memory, and add these
// to a buffer of count counters at its end. All threadgroups must have that many threads.
//
// The kernel must use the buffer by relaxed additions only, whose results it ignores.
func (k *Kernel) Privatize(buffer string, count, threads int) (string, error) {
	b, err := k.memory(buffer)
	if err != nil {
		return "", err
	}
	if b.typ.text != "atomic_uint" && b.typ.text != "atomic_int" {
		return "", k.not(b.node, "has counters of type %s, want atomic_uint or atomic_int", b.typ.text)
	}
	if n := k.returns(); n != nil {
		return "", k.not(n, "returns, and all threads must reach the barrier")
	}
	own := k.fresh(buffer + "_own")
	var edits []edit
	for _, u := range k.uses[buffer] {
		x, path, ok := accessOf(u)
		n := len(path)
		if !ok || n < 3 {
			return "", k.not(u.node, "uses %s otherwise than by its elements", buffer)
		}
		call, _ := path[n-2].(*ast.CallExpr)
		_, alone := path[n-3].(*ast.ExprStmt)
		plain := func(n ast.Node) string { return strings.TrimPrefix(k.text(n), "metal::") }
		if call == nil || !alone || plain(call.Fun) != "atomic_fetch_add_explicit" || len(call.Args) != 3 ||
			call.Args[0] != path[n-1] || plain(call.Args[2]) != "memory_order_relaxed" {
			return "", k.not(x, "uses %s otherwise than by relaxed additions whose results it ignores", buffer)
		}
		edits = append(edits, k.replace(u.node, own))
	}
	if len(edits) == 0 {
		return "", fmt.Errorf("%w: kernel %s does not use %s", ErrNot, k.name, buffer)
	}
	thread, first, last := "", k.decl.Body.Pos(), k.decl.Body.End()
	at := k.file.Offset(k.decl.Params[len(k.decl.Params)-1].End())
	if p := k.input("thread_index_in_threadgroup"); p != nil {
		thread = p.name
	} else {
		thread = k.fresh(buffer + "_thread")
		edits = append(edits, edit{at, at, ", uint " + thread + " [[thread_index_in_threadgroup]]"})
	}
	const barrier = " threadgroup_barrier(mem_flags::mem_threadgroup);"
	loop := func(body string) string {
		return fmt.Sprintf(" for (uint j_ = %s; j_ < %d; j_ += %d) { %s }", thread, count, threads, body)
	}
	open, end := k.file.Offset(first)+1, k.file.Offset(last)-1
	edits = append(edits,
		edit{open, open, fmt.Sprintf(" threadgroup %s %s[%d];", b.typ.text, own, count) +
			loop("atomic_store_explicit(&"+own+"[j_], 0, memory_order_relaxed);") + barrier},
		edit{end, end, barrier + loop("if (auto n_ = atomic_load_explicit(&"+own+
			"[j_], memory_order_relaxed)) atomic_fetch_add_explicit(&"+buffer+"[j_], n_, memory_order_relaxed);") + " "})
	return k.apply(edits), nil
}
