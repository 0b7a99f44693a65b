package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
)

// The parts of SARIF 2.1.0 (OASIS standard) that diagnostics need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
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
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
		HelpURI          string       `json:"helpUri"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId,omitempty"`
		RuleIndex        *int            `json:"ruleIndex,omitempty"`
		Level            string          `json:"level"`
		Message          sarifMessage    `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes            []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
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
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Changes []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

// helpPage documents the codes.
const helpPage = "https://github.com/puremetal/puremetal/blob/main/docs/msl-diagnostics.md"

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
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "puremetal", InformationURI: "https://github.com/puremetal/puremetal",
		Rules: []sarifRule{}}
	index := make(map[Code]int)
	for _, f := range all {
		run.add(f.Files, f.Diagnostics, index)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// add adds the diagnostics of a compilation, and rules for codes that are not in index yet.
func (run *sarifRun) add(fs *FileSet, list []Diagnostic, index map[Code]int) {
	for _, d := range list {
		r := sarifResult{RuleID: string(d.Code), Level: d.Severity.String(), Message: sarifMessage{d.Message}}
		if d.Code != "" {
			n, ok := index[d.Code]
			if !ok {
				n = len(index)
				index[d.Code] = n
				info, _ := Lookup(d.Code)
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(d.Code), sarifMessage{info.Doc}, helpPage})
			}
			r.RuleIndex = &n
		}
		if p := fs.sarifPlace(d.Pos, d.End, false); p != nil {
			r.Locations = []sarifLocation{{Physical: p}}
		}
		for _, n := range fs.allNotes(d) {
			r.RelatedLocations = append(r.RelatedLocations,
				sarifLocation{fs.sarifPlace(n.Pos, n.End, false), &sarifMessage{n.Message}})
		}
		for _, f := range d.Fixes {
			if p := fs.sarifPlace(f.Pos, f.End, f.Pos == f.End); p != nil && f.Pos > 0 && f.End >= f.Pos {
				r.Fixes = append(r.Fixes, sarifFix{[]sarifChange{{p.Artifact,
					[]sarifReplacement{{p.Region, sarifMessage{f.Text}}}}}})
			}
		}
		run.Results = append(run.Results, r)
	}
}

// sarifPlace returns a place with columns in characters. For an insertion, the place is empty.
func (fs *FileSet) sarifPlace(pos, end Pos, empty bool) *sarifPhysical {
	p := fs.jsonPlace(pos, end)
	if p == nil {
		return nil
	}
	if empty {
		p.EndLine, p.EndColumn = p.Line, p.Column
	}
	fs.runes(p, pos, end)
	uri := url.URL{Path: filepath.ToSlash(p.File)}
	return &sarifPhysical{sarifArtifact{uri.String()}, sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn}}
}
