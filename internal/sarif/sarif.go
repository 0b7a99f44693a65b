// Package sarif writes logs in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS
// standard), which code hosts and editors show. It has the parts of the format that this module's
// tools need.
//
// The tests of package diag and of the command compare what it writes with the standard, by way of
// internal/test/sariftest.
package sarif

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
)

// HomePage is where the tools come from.
const HomePage = "https://github.com/puremetal/puremetal"

// Run is what one tool found. The rules that results refer to are added by Rule.
type Run struct {
	Tool       Tool     `json:"tool"`
	ColumnKind string   `json:"columnKind"` // how columns count
	Results    []Result `json:"results"`
}

// Tool is what found the results.
type Tool struct {
	Driver Driver `json:"driver"`
}

// Driver describes the tool.
type Driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []Rule `json:"rules"`
}

// Rule is a kind of result.
type Rule struct {
	ID               string `json:"id"`
	ShortDescription *Text  `json:"shortDescription,omitempty"`
	HelpURI          string `json:"helpUri,omitempty"`
}

// Text is a message.
type Text struct {
	Text string `json:"text"`
}

// Result is one result. Properties are free in form.
type Result struct {
	RuleID     string     `json:"ruleId,omitempty"`
	RuleIndex  *int       `json:"ruleIndex,omitempty"`
	Level      string     `json:"level"` // error, warning or note
	Message    Text       `json:"message"`
	Locations  []Location `json:"locations,omitempty"`
	Related    []Location `json:"relatedLocations,omitempty"`
	Fixes      []Fix      `json:"fixes,omitempty"`
	Properties any        `json:"properties,omitempty"`
}

// Location is a place in the source, or the function it is in, with what happened there.
type Location struct {
	Physical *Physical `json:"physicalLocation,omitempty"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
	Message  *Text     `json:"message,omitempty"`
}

// Physical is a part of a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   Region   `json:"region"`
}

// Artifact is a file.
type Artifact struct {
	URI string `json:"uri"`
}

// Region is a part of a text. Lines and columns count from 1, and the end column is the one after
// the last; 0 is not written.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// Logical is a function.
type Logical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Fix is a change of the source that makes the result go away.
type Fix struct {
	Changes []Change `json:"artifactChanges"`
}

// Change is what a fix changes in a file.
type Change struct {
	Artifact     Artifact      `json:"artifactLocation"`
	Replacements []Replacement `json:"replacements"`
}

// Replacement puts a text in the place of a region.
type Replacement struct {
	Deleted  Region `json:"deletedRegion"`
	Inserted Text   `json:"insertedContent"`
}

// NewRun returns a run of a tool whose columns count characters.
func NewRun(tool string) *Run {
	return &Run{Tool: Tool{Driver{Name: tool, InformationURI: HomePage, Rules: []Rule{}}},
		ColumnKind: "unicodeCodePoints", Results: []Result{}}
}

// Rule returns the index of a rule, which it adds if there is none with that ID.
func (r *Run) Rule(rule Rule) *int {
	rules := &r.Tool.Driver.Rules
	for i := range *rules {
		if (*rules)[i].ID == rule.ID {
			return &i
		}
	}
	*rules = append(*rules, rule)
	i := len(*rules) - 1
	return &i
}

// In returns a region of a file, nil without a line.
func In(file string, r Region) *Physical {
	if r.StartLine == 0 {
		return nil
	}
	uri := url.URL{Path: filepath.ToSlash(file)}
	return &Physical{Artifact{uri.String()}, r}
}

// Write writes a log with one run.
func (r *Run) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []Run{*r}})
}

// Log is a whole log.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}
