package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Stage exchanges what a kernel reads from a buffer, or writes to it, in threadgroup memory: each
// thread accesses the element of the thread that mirrors it in a threadgroup of side by side
// threads, so that neighbors in x access what neighbors in y did. The grid must consist of whole
// threadgroups of that size.
//
// The buffer must be accessed once, by all threads, outside of branches and loops, at an index that
// follows from the position in the grid.
func (k *Kernel) Stage(buffer string, side int) (string, error) {
	b, err := k.memory(buffer)
	if err != nil {
		return "", err
	}
	position := k.input("thread_position_in_grid")
	if position == nil || position.typ.text != "uint2" && position.typ.text != "ushort2" {
		return "", fmt.Errorf("%w: kernel %s has no thread_position_in_grid in two dimensions", ErrNot, k.name)
	}
	if n := k.returns(); n != nil {
		return "", k.not(n, "returns, and all threads must reach the barrier")
	}
	uses := k.uses[buffer]
	if len(uses) != 1 {
		return "", fmt.Errorf("%w: kernel %s uses %s in %d places, want one", ErrNot, k.name, buffer, len(uses))
	}
	x, path, ok := accessOf(uses[0])
	if !ok {
		return "", k.not(uses[0].node, "uses %s otherwise than by its elements", buffer)
	}
	statement := path[0]
	for i, n := range path {
		switch n := n.(type) {
		case *ast.DeclStmt, *ast.ExprStmt, ast.Decl, *ast.ParenExpr, *ast.CallExpr, *ast.AssignExpr, *ast.IndexExpr,
			*ast.MemberExpr, *ast.CastExpr, *ast.ConstructExpr:
		case *ast.BinaryExpr:
			if n.Op == token.AmpAmp || n.Op == token.PipePipe {
				return "", k.not(n, "does not access %s in all threads", buffer)
			}
		case *ast.UnaryExpr:
			if n.Op == token.Amp {
				return "", k.not(n, "takes the address of an element of %s", buffer)
			}
		case *ast.ForStmt, *ast.WhileStmt, *ast.DoStmt:
			return "", k.not(path[i], "accesses %s in a loop, whose iterations would need a tile and barriers each", buffer)
		default:
			return "", k.not(path[i], "accesses %s in a branch, where not all threads may reach the barrier", buffer)
		}
	}
	copies, err := k.copies(x.Index, position)
	if err != nil {
		return "", err
	}
	tile, mirror := k.fresh(buffer+"_tile"), k.fresh(position.name+"_mirror")
	p := position.name
	element := fmt.Sprintf("%s[%s.y %% %d][%s.x %% %d]", tile, p, side, p, side)
	mirrored := fmt.Sprintf("{ const %s %s = %s; %s", position.typ.text, p, mirror, copies)
	declare := fmt.Sprintf("threadgroup %s %s[%d][%d]; const %s %s = %s / %d * %d + (%s %% %d).yx; ", b.typ.text,
		tile, side, side+1, position.typ.text, mirror, p, side, side, p, side)
	const barrier = "threadgroup_barrier(mem_flags::mem_threadgroup); "
	whole := k.text(x)
	if a, ok := path[len(path)-1].(*ast.AssignExpr); ok && a.X == ast.Expr(x) {
		if _, alone := statement.(*ast.ExprStmt); !alone || len(path) != 2 || a.Op != token.Assign {
			return "", k.not(a, "does more than to store an element of %s", buffer)
		}
		return k.apply([]edit{k.before(statement, declare), k.replace(x, element),
			k.after(statement, " "+barrier+mirrored+whole+" = "+element+"; }")}), nil
	}
	if !b.constant {
		return "", k.not(x, "reads %s, which is not const and may be written before", buffer)
	}
	return k.apply([]edit{k.before(statement, declare+mirrored+element+" = "+whole+"; } "+barrier),
		k.replace(x, element)}), nil
}

// copies returns declarations of the variables that an index uses, to compute it for another
// position. They may use the position, arguments that all threads share, and each other.
func (k *Kernel) copies(index ast.Expr, position *param) (string, error) {
	var list []string
	seen := map[string]bool{}
	var need func(n ast.Node) error
	need = func(n ast.Node) (err error) {
		ast.Inspect(n, func(n ast.Node) bool {
			if err != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.NameExpr); !ok || !slices.Contains(componentwise, f.Name.Last().Ident) &&
					!slices.Contains(vectorTypes, f.Name.Simple()) {
					err = k.not(n, "calls %s for the index", k.text(n.Fun))
				}
			case *ast.AssignExpr, *ast.PostfixExpr, *ast.LambdaExpr:
				err = k.not(n, "changes something within the index")
			case *ast.NameExpr:
				name := n.Name.Simple()
				if seen[name] || name == "" || name == position.name {
					break
				}
				seen[name] = true
				err = k.needed(name, need, &list)
			}
			return err == nil
		})
		return err
	}
	if err := need(index); err != nil {
		return "", err
	}
	return strings.Join(list, " ") + " ", nil
}

// uniform are the inputs that all threads of a launch of whole threadgroups share.
var uniform = []string{"threads_per_grid", "threadgroups_per_grid", "threads_per_threadgroup",
	"dispatch_threads_per_threadgroup", "threads_per_simdgroup"}

// needed adds the declaration of a name that an index uses, if it is a variable of the kernel.
func (k *Kernel) needed(name string, need func(ast.Node) error, list *[]string) error {
	for _, p := range k.params {
		if p.name == name && p.space != "constant" && !slices.Contains(uniform, p.attribute) {
			return k.not(p.node, "declares %s, which the index uses and threads do not share", name)
		}
	}
	var found *ast.DeclStmt
	count := 0
	ast.Inspect(k.decl.Body, func(n ast.Node) bool {
		if v, ok := n.(*ast.VarDecl); ok && v.Name.Simple() == name {
			count++
		}
		return true
	})
	if count == 0 {
		return nil // not of the kernel: all threads share it
	}
	for _, s := range k.decl.Body.List {
		d, ok := s.(*ast.DeclStmt)
		if !ok || len(d.Decls) != 1 {
			continue
		}
		if v, ok := d.Decls[0].(*ast.VarDecl); ok && v.Name.Simple() == name && v.Init != nil {
			found = d
		}
	}
	if found == nil || count > 1 {
		return fmt.Errorf("%w: the index uses %s, which is not declared once and by itself in kernel %s", ErrNot, name,
			k.name)
	}
	for _, u := range k.uses[name] {
		if n := len(u.path); n > 0 {
			a, assigned := u.path[n-1].(*ast.AssignExpr)
			_, counted := u.path[n-1].(*ast.PostfixExpr)
			x, unary := u.path[n-1].(*ast.UnaryExpr)
			_, member := u.path[n-1].(*ast.MemberExpr)
			if assigned && a.X == u.node || counted || member ||
				unary && slices.Contains([]token.Kind{token.PlusPlus, token.MinusMinus, token.Amp}, x.Op) {
				return k.not(u.node, "may change %s, which the index uses", name)
			}
		}
	}
	if err := need(found.Decls[0].(*ast.VarDecl).Init); err != nil {
		return err
	}
	*list = append(*list, k.text(found))
	return nil
}
