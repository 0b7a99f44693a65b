package sanitizer

import (
	"encoding/json"
	"io"
	"math/bits"
	"net/url"
	"path/filepath"
)

// The parts of SARIF 2.1.0 (OASIS standard) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Properties       *Finding        `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

const (
	homePage = "https://github.com/puremetal/puremetal"
	helpPage = homePage + "/blob/main/docs/software-device.md#what-it-finds-wrong-with-kernels"
)

// SARIF writes findings as a log with one run in the Static Analysis Results Interchange Format,
// version 2.1.0, which code hosts and editors show. Its rules are the kinds; the properties of a
// result are those of MarshalJSON.
func SARIF(w io.Writer, findings []*Finding) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "puremetal sanitizer", InformationURI: homePage, Rules: []sarifRule{}}
	for i, name := range names {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{"sanitizer." + name, sarifText{descriptions[i]}, helpPage})
	}
	for _, f := range findings {
		r := sarifResult{RuleID: "sanitizer." + f.Kind.String(), RuleIndex: bits.TrailingZeros(uint(f.Kind)), Level: "error",
			Message: sarifText{f.Message}, Properties: f}
		if f.Advice != "" {
			r.Message.Text += ". " + f.Advice
		}
		r.Locations = []sarifLocation{f.sarif(f.who() + " " + f.what())}
		if f.Other != nil {
			r.RelatedLocations = []sarifLocation{f.Other.sarif(f.Other.other() + " " + f.Other.Does)}
		}
		run.Results = append(run.Results, r)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarif returns the place of an access, as far as it is known.
func (a *Access) sarif(message string) sarifLocation {
	l := sarifLocation{Message: &sarifText{message}}
	if a.Kernel != "" {
		l.Logical = []sarifLogical{{a.Kernel, "function"}}
	}
	if a.Line != 0 {
		uri := url.URL{Path: filepath.ToSlash(a.File)}
		l.Physical = &sarifPhysical{sarifArtifact{uri.String()}, sarifRegion{a.Line, a.Column}}
	}
	return l
}
