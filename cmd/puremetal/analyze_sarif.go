package main

import "io"

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

// sarif writes the advice as SARIF: a note for each recommendation, whose properties have what was
// measured.
func (r *analysis) sarif(w io.Writer) error {
	run := adviceRun{ColumnKind: "utf16CodeUnits", Results: []adviceResult{}}
	run.Tool.Driver.Name, run.Tool.Driver.Version = "puremetal analyze", version().String()
	run.Tool.Driver.Rules = []adviceRule{}
	known := map[string]bool{}
	for i := range r.Launches {
		for _, x := range r.Launches[i].Advice {
			id := string(x.Remedy)
			if !known[id] {
				known[id] = true
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, adviceRule{id})
			}
			result := adviceResult{RuleID: id, Level: "note", Message: adviceText{x.Message},
				Properties: map[string]any{"kernel": r.Launches[i].Kernel, "measure": x.Measure, "before": x.Before,
					"after": x.After, "gain": x.Gain, "model": x.Model, "exact": r.Launches[i].Whole()}}
			if x.Line > 0 {
				result.Locations = []adviceLocation{{advicePhysical{adviceArtifact{x.File}, adviceRegion{x.Line, x.Column}}}}
			}
			run.Results = append(run.Results, result)
		}
	}
	return writeJSON(w, adviceLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []adviceRun{run}})
}
