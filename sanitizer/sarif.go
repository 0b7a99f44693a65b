package sanitizer

import (
	"io"

	"github.com/puremetal/puremetal/internal/sarif"
)

const helpPage = sarif.HomePage + "/blob/main/docs/software-device.md#what-it-finds-wrong-with-kernels"

// SARIF writes findings as a log with one run in the Static Analysis Results Interchange Format,
// version 2.1.0, which code hosts and editors show. Its rules are the kinds; the properties of a
// result are those of MarshalJSON.
func SARIF(w io.Writer, findings []*Finding) error {
	run := sarif.NewRun("puremetal sanitizer")
	rule := func(i int) sarif.Rule {
		return sarif.Rule{ID: "sanitizer." + names[i], ShortDescription: &sarif.Text{Text: descriptions[i]},
			HelpURI: helpPage}
	}
	for i := range names {
		run.Rule(rule(i))
	}
	for _, f := range findings {
		r := sarif.Result{RuleID: "sanitizer." + f.Kind.String(), Level: "error",
			Message: sarif.Text{Text: f.Message}, Properties: f}
		r.RuleIndex = run.Rule(sarif.Rule{ID: r.RuleID})
		if f.Advice != "" {
			r.Message.Text += ". " + f.Advice
		}
		r.Locations = []sarif.Location{f.sarif(f.who() + " " + f.what())}
		if f.Other != nil {
			r.Related = []sarif.Location{f.Other.sarif(f.Other.other() + " " + f.Other.does())}
		}
		run.Results = append(run.Results, r)
	}
	return run.Write(w)
}

// sarif returns the place of an access, as far as it is known.
func (a *Access) sarif(message string) sarif.Location {
	l := sarif.Location{Message: &sarif.Text{Text: message},
		Physical: sarif.In(a.File, sarif.Region{StartLine: a.Line, StartColumn: a.Column})}
	if a.Kernel != "" {
		l.Logical = []sarif.Logical{{Name: a.Kernel, Kind: "function"}}
	}
	return l
}
