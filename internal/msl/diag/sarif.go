package diag

import (
	"io"

	"github.com/puremetal/puremetal/internal/sarif"
)

// helpPage documents the codes.
const helpPage = sarif.HomePage + "/blob/main/docs/msl-diagnostics.md"

// Found is the result of one compilation.
type Found struct {
	Files       *FileSet
	Diagnostics []Diagnostic
}

// SARIF writes diagnostics as a log with one run in the Static Analysis Results Interchange Format,
// version 2.1.0. Its rules are the codes that occur.
func SARIF(w io.Writer, fs *FileSet, list []Diagnostic) error { return SARIFOf(w, Found{fs, list}) }

// SARIFOf is SARIF for several compilations. They form a single run, as tools that read such logs
// expect.
func SARIFOf(w io.Writer, all ...Found) error {
	run := sarif.NewRun("puremetal")
	for _, f := range all {
		f.addTo(run)
	}
	return run.Write(w)
}

// addTo adds the diagnostics of a compilation to a run.
func (f Found) addTo(run *sarif.Run) {
	for _, d := range f.Diagnostics {
		r := sarif.Result{RuleID: string(d.Code), Level: d.Severity.String(), Message: sarif.Text{Text: d.Message}}
		if d.Code != "" {
			info, _ := Lookup(d.Code)
			r.RuleIndex = run.Rule(sarif.Rule{ID: r.RuleID, ShortDescription: &sarif.Text{Text: info.Doc},
				HelpURI: helpPage})
		}
		if p := f.Files.sarifPlace(d.Pos, d.End, false); p != nil {
			r.Locations = []sarif.Location{{Physical: p}}
		}
		for _, n := range f.Files.allNotes(d) {
			r.Related = append(r.Related, sarif.Location{Physical: f.Files.sarifPlace(n.Pos, n.End, false),
				Message: &sarif.Text{Text: n.Message}})
		}
		for _, x := range d.Fixes {
			if p := f.Files.sarifPlace(x.Pos, x.End, x.Pos == x.End); p != nil && x.Pos > 0 && x.End >= x.Pos {
				r.Fixes = append(r.Fixes, sarif.Fix{Changes: []sarif.Change{{Artifact: p.Artifact,
					Replacements: []sarif.Replacement{{Deleted: p.Region, Inserted: sarif.Text{Text: x.Text}}}}}})
			}
		}
		run.Results = append(run.Results, r)
	}
}

// sarifPlace returns a place with columns in characters. For an insertion, the place is empty.
func (fs *FileSet) sarifPlace(pos, end Pos, empty bool) *sarif.Physical {
	p := fs.jsonPlace(pos, end)
	if p == nil {
		return nil
	}
	if empty {
		p.EndLine, p.EndColumn = p.Line, p.Column
	}
	fs.runes(p, pos, end)
	return sarif.In(p.File, sarif.Region{StartLine: p.Line, StartColumn: p.Column, EndLine: p.EndLine,
		EndColumn: p.EndColumn})
}
