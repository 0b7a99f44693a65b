package main

import (
	"io"
	"slices"

	"github.com/puremetal/puremetal/analyze"
)

// The parts of a SARIF 2.1.0 log that advice needs.
type adviceLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    []adviceRun `json:"runs"`
}

type adviceRun struct {
	Tool       adviceTool     `json:"tool"`
	ColumnKind string         `json:"columnKind"`
	Results    []adviceResult `json:"results"`
}

type adviceTool struct {
	Driver struct {
		Name    string       `json:"name"`
		Version string       `json:"version"`
		Rules   []adviceRule `json:"rules"`
	} `json:"driver"`
}

type adviceRule struct {
	ID string `json:"id"`
}

type adviceResult struct {
	RuleID     string           `json:"ruleId"`
	Level      string           `json:"level"`
	Message    adviceText       `json:"message"`
	Locations  []adviceLocation `json:"locations,omitempty"`
	Properties map[string]any   `json:"properties"`
}

type adviceText struct {
	Text string `json:"text"`
}

type adviceLocation struct {
	Physical advicePhysical `json:"physicalLocation"`
}

type advicePhysical struct {
	Artifact adviceArtifact `json:"artifactLocation"`
	Region   adviceRegion   `json:"region"`
}

type adviceArtifact struct {
	URI string `json:"uri"`
}

type adviceRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

func newAdviceRun() *adviceRun {
	run := &adviceRun{ColumnKind: "utf16CodeUnits", Results: []adviceResult{}}
	run.Tool.Driver.Name, run.Tool.Driver.Version = "puremetal analyze", version().String()
	run.Tool.Driver.Rules = []adviceRule{}
	return run
}

// add adds a recommendation as a note whose properties have the figures.
func (run *adviceRun) add(kernel string, exact bool, x analyze.Recommendation) {
	rule := adviceRule{string(x.Remedy)}
	if !slices.Contains(run.Tool.Driver.Rules, rule) {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	result := adviceResult{RuleID: rule.ID, Level: "note", Message: adviceText{x.Message},
		Properties: map[string]any{"kernel": kernel, "measure": x.Measure, "before": x.Before, "after": x.After,
			"gain": x.Gain, "model": x.Model, "exact": exact}}
	if x.Line > 0 {
		result.Locations = []adviceLocation{{advicePhysical{adviceArtifact{x.File}, adviceRegion{x.Line, x.Column}}}}
	}
	run.Results = append(run.Results, result)
}

func (run *adviceRun) write(w io.Writer) error {
	return writeJSON(w, adviceLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []adviceRun{*run}})
}

// sarif writes the advice as SARIF.
func (r *analysis) sarif(w io.Writer) error {
	run := newAdviceRun()
	for i := range r.Launches {
		for _, x := range r.Launches[i].Advice {
			run.add(r.Launches[i].Kernel, r.Launches[i].Whole(), x)
		}
	}
	return run.write(w)
}
