//go:build !puremetal_run

package main

import (
	"io"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/internal/sarif"
)

func newAdviceRun() *sarif.Run {
	run := sarif.NewRun("puremetal analyze")
	run.Tool.Driver.Version = version().String()
	return run
}

// addAdvice adds a recommendation as a note whose properties have the figures.
func addAdvice(run *sarif.Run, kernel string, exact bool, x analyze.Recommendation) {
	result := sarif.Result{RuleID: string(x.Remedy), Level: "note", Message: sarif.Text{Text: x.Message},
		Properties: map[string]any{"kernel": kernel, "measure": x.Measure, "before": x.Before, "after": x.After,
			"gain": x.Gain, "model": x.Model, "exact": exact}}
	result.RuleIndex = run.Rule(sarif.Rule{ID: result.RuleID})
	if p := sarif.In(x.File, sarif.Region{StartLine: x.Line, StartColumn: x.Column}); p != nil {
		result.Locations = []sarif.Location{{Physical: p}}
	}
	run.Results = append(run.Results, result)
}

// sarif writes the advice as SARIF.
func (r *analysis) sarif(w io.Writer) error {
	run := newAdviceRun()
	for i := range r.Launches {
		for _, x := range r.Launches[i].Advice {
			addAdvice(run, r.Launches[i].Kernel, r.Launches[i].Whole(), x)
		}
	}
	addStatic(run, r.Static)
	return run.Write(w)
}
