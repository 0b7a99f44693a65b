package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// listKernels writes the kernels of a file with their arguments and resource usage.
func listKernels(w io.Writer, f *checked) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i := range f.kernels {
		k := &f.kernels[i]
		fmt.Fprintf(t, "%s: kernel %s%s\n", f.name, k.Name, requirements(k))
		for _, arg := range k.Args {
			fmt.Fprintf(t, "  %s %d\t%s\t%s\n", argumentKind(arg.Kind), arg.Index, arg.Name, describeArg(&arg))
		}
		for _, c := range k.Constants {
			need := ""
			if c.Required {
				need = ", required"
			}
			fmt.Fprintf(t, "  constant %d\t%s\t%s%s\n", c.Index, c.Name, strings.ToLower(c.Data.String()), need)
		}
	}
	for i, name := range f.program.Skipped {
		fmt.Fprintf(t, "%s: skipped %s function %s\n", f.name, f.program.SkippedStages[i], name)
	}
	return t.Flush()
}

func argumentKind(k ir.ArgKind) string {
	if k == ir.ArgThreadgroup {
		return "threadgroup memory"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// requirements describes the restrictions that a kernel places on its launches.
func requirements(k *msl.Kernel) string {
	var out []string
	if n := k.Attributes.ThreadgroupStatic; n > 0 {
		out = append(out, fmt.Sprintf("%d bytes of threadgroup memory", n))
	}
	if n := k.Attributes.MaxTotalThreads; n > 0 {
		out = append(out, fmt.Sprintf("at most %d threads per threadgroup", n))
	}
	if r := k.Attributes.RequiredThreads; r[0] > 0 {
		out = append(out, fmt.Sprintf("threadgroups of %dx%dx%d", r[0], r[1], r[2]))
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// describeArg describes an argument: its type, size and access.
func describeArg(a *ir.Arg) string {
	var out []string
	switch a.Kind {
	case ir.ArgBuffer, ir.ArgThreadgroup:
		text := strings.TrimSpace(a.Space + " " + a.Type)
		if a.Reference {
			text += "&"
		} else {
			text += "*"
		}
		out = append(out, text)
		if a.Size > 0 {
			out = append(out, fmt.Sprintf("%d bytes each", a.Size))
		}
	case ir.ArgTexture:
		if t := a.TextureInfo; t != nil {
			out = append(out, fmt.Sprintf("%v of %s", t.Dim, strings.ToLower(t.Data.String())))
		}
	}
	if a.Count > 0 {
		out = append(out, fmt.Sprintf("an array of %d", a.Count))
	}
	if a.Access != "" {
		out = append(out, strings.ReplaceAll(a.Access, "_", " and "))
	}
	if a.Condition != "" {
		out = append(out, "if "+a.Condition)
	}
	if !a.Active {
		out = append(out, "unused")
	}
	return strings.Join(out, ", ")
}
