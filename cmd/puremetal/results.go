package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
)

// maxResult is the size in bytes of the largest result whose values are reported: larger ones would
// take longer to copy than many kernels run.
const maxResult = 1 << 20

// valuesInfo is the values of an argument that kernels wrote and --out does not save.
type valuesInfo struct {
	Argument string   `json:"argument"`
	Type     string   `json:"type"`
	First    []string `json:"first,omitempty"` // all of them if there is no Last
	Last     []string `json:"last,omitempty"`
}

// readResults reports the arguments that the kernels wrote and that are not saved, after the first
// run.
func (j *job) readResults() error {
	if j.cmd.Quiet || j.around != nil {
		return nil
	}
	var known []*memory
	for _, l := range j.steps {
		for _, o := range l.outs {
			known = append(known, o.memory)
		}
	}
	for _, l := range j.steps {
		for _, b := range l.bound {
			m := b.memory
			if b.parameter.Access == mtl.BindingAccessReadOnly || slices.Contains(known, m) {
				continue
			}
			known = append(known, m)
			info := valuesInfo{Argument: m.name, Type: m.value.Describe()}
			if l.number > 0 && !slices.Contains(j.shared, m) {
				info.Argument = fmt.Sprintf("step %d, %s", l.number, m.name)
			}
			if m.value.Size() <= maxResult {
				o := output{memory: m}
				if err := o.download(j.ctx); err != nil {
					return err
				}
				info.First, info.Last = m.value.Ends(o.data)
			}
			j.report.Values = append(j.report.Values, info)
		}
	}
	return nil
}

// String returns the first and last values.
func (v *valuesInfo) String() string {
	text := diag.EscapeLine(v.Argument) + ", " + v.Type
	if len(v.First) > 0 {
		text += ": " + strings.Join(v.First, ", ")
	}
	if len(v.Last) > 0 {
		text += ", ..., " + strings.Join(v.Last, ", ")
	}
	if v.complete() {
		return text
	}
	_, name, step := strings.Cut(v.Argument, ", ")
	if !step {
		name = v.Argument
	}
	return fmt.Sprintf("%s (--out %s=- shows more, --out %[2]s=FILE.npy saves all)", text, diag.EscapeLine(name))
}

// complete reports whether these are all values.
func (v *valuesInfo) complete() bool { return len(v.First) > 0 && len(v.Last) == 0 }

// The limits of looking for accesses out of bounds after a run: of the work of the kernels, in
// units of compute.WithWorkBudget, and of the arguments and the source, in bytes. Within them it
// takes a fraction of a second.
const (
	probeWork   = 1 << 22
	probeBytes  = 16 << 20
	probeSource = 64 << 10
)

// outOfBounds runs the plan once more under the sanitizer, if that is quick, and returns the places
// where kernels access memory beyond its end. The engines cannot tell without it: they skip such
// accesses by a mask, and count nothing.
func (c *runCmd) outOfBounds(a *app, p *plan, bytes int) []sanitizer.Place {
	if bytes > probeBytes || len(p.text) > probeSource {
		return nil
	}
	found := &findings{}
	j := &job{app: a, cmd: c, plan: p.silent()}
	var err error
	if j.acc, err = a.open(c.Device, compute.WithSanitizer(sanitizer.Bounds, found.add),
		compute.WithWorkBudget(probeWork),
		compute.WithKernelLog(compute.KernelLog{Handler: func(compute.KernelMessage) {}})); err != nil {
		return nil // such as a GPU, which has no sanitizer
	}
	var stop context.CancelFunc
	j.ctx, stop = context.WithCancel(a.ctx)
	defer stop()
	j.around = func(func() error) error { return j.launchOnce() }
	_ = j.run() // what failed, such as for its work, was found up to there, and the run itself succeeded
	ctx, stopClosing := closeContext(j.ctx)
	defer stopClosing()
	_ = j.close(ctx)
	var places []sanitizer.Place
	for _, f := range found.sorted() {
		if !slices.Contains(places, f.Place) {
			places = append(places, f.Place)
		}
	}
	return places
}

// launchOnce runs all steps.
func (j *job) launchOnce() error {
	s, err := j.acc.NewStream(compute.StreamOptions{Label: "puremetal run", Context: j.ctx})
	if err != nil {
		return err
	}
	if err := j.record(j.ctx, s); err != nil {
		return err
	}
	return s.Close(j.ctx)
}

// boundsHint says where accesses were out of bounds.
func (p *plan) boundsHint(places []sanitizer.Place) string {
	var texts []string
	full, _ := programName(p.source.text, p.text)
	for _, at := range places[:min(len(places), 3)] {
		if at.File == full {
			at.File = filepath.ToSlash(p.source.text)
		}
		texts = append(texts, diag.EscapeLine(fmt.Sprintf("%s:%d", at.File, at.Line)))
	}
	if more := len(places) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("puremetal: accesses out of bounds at %s: reads gave 0, writes were dropped; "+
		"--sanitize shows which", strings.Join(texts, ", "))
}
