// Package kernelvet is a tool of go vet that reports what kernels written in Go cannot do. The go
// command starts it for each package, with the protocol of package unitchecker.
//
// Its test is the command's script testdata/script/vet_kernels.txtar, which runs go vet.
package kernelvet

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/puremetal/puremetal/internal/gokernel"
)

// Called reports whether the command line is one with which go vet calls its tool: -V=full,
// -flags, or flags and the description of a package.
func Called(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return len(args) == 1 && (last == "-V=full" || last == "-flags") || strings.HasSuffix(last, ".cfg") &&
		!slices.ContainsFunc(args[:len(args)-1], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// Main does what go vet has called the process for, and ends it.
func Main() {
	unitchecker.Main(&analysis.Analyzer{Name: "kernels", Doc: "report what kernels written in Go cannot do",
		URL: "https://github.com/puremetal/puremetal/blob/main/docs/go-kernels.md", Run: check})
}

// check reports what the kernels of a package have wrong. go vet gives neither the bodies of
// functions in other packages nor what the translation declares of the standard library, so the
// package is read again.
func check(pass *analysis.Pass) (any, error) {
	dir := ""
	var kernels []*ast.FuncDecl
	for _, f := range pass.Files {
		name := pass.Fset.Position(f.Package).Filename
		if strings.HasSuffix(name, "_test.go") || !gokernel.HasDirective(f) {
			continue
		}
		dir = filepath.Dir(name)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				kernels = append(kernels, d)
			}
		}
	}
	if dir == "" {
		return nil, nil
	}
	files, rel, show, err := gokernel.Module(dir)
	if err != nil {
		return nil, err
	}
	r, err := gokernel.Translate(context.Background(), files, rel, gokernel.Options{Show: show})
	if err != nil {
		return nil, err
	}
	for _, x := range r.Refused {
		text := fmt.Sprintf("%s [%s]", x.Reason, x.Code)
		if x.Kernel != "" {
			text = "kernel " + x.Kernel + ": " + text
		}
		pos := positionIn(pass, x.Pos)
		if !pos.IsValid() { // in another package: the place to report is the kernel
			text = fmt.Sprintf("%s (at %v)", text, x.Pos)
			pos = pass.Files[0].Package
			for _, d := range kernels {
				if d.Name.Name == x.Kernel {
					pos = d.Name.Pos()
				}
			}
		}
		pass.Report(analysis.Diagnostic{Pos: pos, Category: string(x.Code), Message: text})
	}
	return nil, nil
}

// positionIn returns a position as one of a file of the pass, none if no file has it.
func positionIn(pass *analysis.Pass, at token.Position) token.Pos {
	for _, f := range pass.Files {
		file := pass.Fset.File(f.Package)
		if filepath.ToSlash(file.Name()) == at.Filename && at.Line >= 1 && at.Line <= file.LineCount() {
			start := int(file.LineStart(at.Line)) - file.Base()
			return file.Pos(min(start+at.Column-1, file.Size()))
		}
	}
	return token.NoPos
}
