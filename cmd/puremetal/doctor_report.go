//go:build !puremetal_run

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/puremetal/puremetal/internal/conformance"
	"github.com/puremetal/puremetal/objc"
)

// machineReport is the JSON of doctor --report.
type machineReport struct {
	Puremetal   versionInfo       `json:"puremetal"`
	System      map[string]string `json:"system"`
	Drivers     []driverReport    `json:"drivers"`
	Environment map[string]string `json:"environment"` // variables that change what the drivers do
	Checks      []finding         `json:"checks"`
	Conformance *caseReport       `json:"conformance,omitempty"` // nil without results
}

// driverReport is what a driver has.
type driverReport struct {
	Name    string       `json:"name"`
	Used    bool         `json:"used"` // by the checks and the cases
	Devices []deviceInfo `json:"devices,omitempty"`
	Error   string       `json:"error,omitempty"`
}

// caseReport is the results of the conformance cases. A case that passes as it must has only its
// time, so that a report fits into a comment of an issue.
type caseReport struct {
	Platform string                  `json:"platform"`
	Seconds  float64                 `json:"seconds"`
	Counts   map[string]conceptCount `json:"counts"` // by concept
	Others   []caseOutcome           `json:"others"` // all but those in Passed
	Passed   map[string]float64      `json:"passed"` // in milliseconds
	order    []string                // of the concepts
}

// conceptCount is how many cases of a concept ended in a way.
type conceptCount map[conformance.Outcome]int

// caseOutcome is a case that did not pass, or that is listed as a difference.
type caseOutcome struct {
	conformance.Result
	Asserts    string `json:"asserts"`
	Difference string `json:"difference,omitempty"` // why it is known not to hold here
}

// unexpected reports whether a case contradicts the list of differences.
func (c *caseOutcome) unexpected() bool {
	if c.Difference != "" {
		return c.Outcome == conformance.Passed
	}
	return c.Outcome != conformance.Skipped
}

// issues is where reports go.
const issues = "https://github.com/puremetal/puremetal/issues"

// report writes the report to a file and adds a finding about it.
func (d *doctor) report(file string) error {
	hide := d.hider()
	r := machineReport{Puremetal: version(), System: system(), Environment: map[string]string{}}
	for _, v := range d.app.environ() {
		name, value, _ := strings.Cut(v, "=")
		for _, prefix := range []string{"PUREMETAL_", "METAL_", "MTL_"} {
			if strings.HasPrefix(name, prefix) {
				r.Environment[name] = hide(value)
			}
		}
	}
	for _, f := range d.found {
		f.Text = hide(f.Text)
		r.Checks = append(r.Checks, f)
	}
	for _, name := range []objc.Driver{objc.DriverApple, objc.DriverSoftware} {
		r.Drivers = append(r.Drivers, d.driverReport(name, hide))
	}
	// The file exists before the cases run: they take minutes, and may stop the machine.
	if err := storeFile(file, r.markdown); err != nil {
		return err
	}
	text := "without conformance cases: there is no device"
	unexpected := 0
	if d.ready {
		cases, where := conformance.Cases()
		bar := d.app.progress(len(cases), "running conformance cases")
		runner := caseRunner{start: d.app.startCases, bar: bar,
			limit: func(string) <-chan time.Time { return time.After(caseTime) }}
		start := time.Now()
		results, err := runner.run(d.app.ctx, cases)
		bar.stop()
		if err != nil {
			return err
		}
		for i := range results {
			results[i].Text = hide(results[i].Text)
		}
		r.Conformance = summarizeCases(cases, results, where)
		r.Conformance.Seconds = time.Since(start).Seconds()
		text, unexpected = r.Conformance.summary()
		if err := storeFile(file, r.markdown); err != nil {
			return err
		}
	}
	if err := d.app.ctx.Err(); err != nil {
		return err
	}
	status := "ok"
	if unexpected > 0 {
		status = "note"
	}
	d.say("report", status, filepath.ToSlash(file)+": "+text, "read it, then attach it to an issue at "+issues)
	return nil
}

// driverReport lists a driver's devices, in a process of its own: a process has one driver.
func (d *doctor) driverReport(driver objc.Driver, hide func(string) string) driverReport {
	used, err := objc.CurrentDriver()
	out := driverReport{Name: driver.String(), Used: err == nil && used == driver}
	c, err := self(d.app.ctx, "devices", "--json")
	if err != nil {
		out.Error = hide(err.Error())
		return out
	}
	said := &head{}
	c.Stderr = said
	c.Env = append(c.Environ(), "PUREMETAL_DRIVER="+driver.String())
	list, err := c.Output()
	if err != nil {
		out.Error = hide(cmp.Or(strings.TrimSpace(said.String()), err.Error()))
		return out
	}
	if err := json.Unmarshal(list, &out.Devices); err != nil {
		out.Error = err.Error()
	}
	return out
}

// self returns a command that runs this program.
func self(ctx context.Context, args ...string) (*exec.Cmd, error) {
	file, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, file, args...)
	c.Args[0] = "puremetal" // which the binary of the tests runs as the command
	return c, nil
}

// hider returns a function that removes from a text the names of the user and the host, and the
// home folder.
func (d *doctor) hider() func(string) string {
	var names []string // what they are replaced by follows each
	if dir, err := os.UserHomeDir(); err == nil {
		names = append(names, dir, "~", filepath.Base(dir), "USER")
	}
	names = append(names, strings.TrimRight(os.TempDir(), `/\`), "TEMP")
	for _, v := range []string{"USER", "LOGNAME", "USERNAME"} {
		names = append(names, d.app.env(v), "USER")
	}
	if host, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(host, ".")
		names = append(names, host, "HOST", short, "HOST")
	}
	// absolute paths in stack traces
	goFile := regexp.MustCompile(`(?m)(^|\s)(?:[A-Za-z]:)?[\\/][^\s:]*[\\/]([^\s:\\/]+\.(?:go|s):\d+)`)
	userFolder := regexp.MustCompile(`(/(Users|home)/|[A-Za-z]:\\Users\\)[^/\\\s:"']+`)
	return func(text string) string {
		text = goFile.ReplaceAllString(text, "$1$2")
		for i := 0; i < len(names); i += 2 {
			text = replaceWord(text, names[i], names[i+1])
		}
		return userFolder.ReplaceAllString(text, "~")
	}
}

// replaceWord replaces a name where no letter or digit is next to it.
func replaceWord(text, name, by string) string {
	if len(strings.Trim(name, `/\.`)) == 0 {
		return text
	}
	edge := func(at string) string { // a name may begin or end with another character
		if regexp.MustCompile(`^\w$`).MatchString(at) {
			return `\b`
		}
		return ""
	}
	return regexp.MustCompile(edge(name[:1])+regexp.QuoteMeta(name)+edge(name[len(name)-1:])).
		ReplaceAllLiteralString(text, by)
}

// summarizeCases sorts the results of cases.
func summarizeCases(cases []conformance.Case, results []conformance.Result, where string) *caseReport {
	out := &caseReport{Platform: where, Counts: map[string]conceptCount{}, Others: []caseOutcome{},
		Passed: map[string]float64{}}
	byName := make(map[string]conformance.Case, len(cases))
	for _, c := range cases {
		byName[c.String()] = c
		if out.Counts[c.Concept] == nil {
			out.Counts[c.Concept] = conceptCount{}
			out.order = append(out.order, c.Concept)
		}
	}
	for _, r := range results {
		c := byName[r.Case]
		out.Counts[c.Concept][r.Outcome]++
		if r.Outcome == conformance.Passed && c.Difference == "" {
			out.Passed[r.Case] = r.MS
			continue
		}
		out.Others = append(out.Others, caseOutcome{r, c.Asserts, c.Difference})
	}
	return out
}

// summary returns a sentence about the cases, and how many contradict the list of differences.
func (r *caseReport) summary() (text string, unexpected int) {
	skipped, listed := 0, 0
	for i := range r.Others {
		switch c := &r.Others[i]; {
		case c.unexpected():
			unexpected++
		case c.Difference != "":
			listed++
		default:
			skipped++
		}
	}
	return fmt.Sprintf("%d of %d cases pass, %d are skipped, %d differ as listed for the %s, %d are unexpected",
		len(r.Passed), len(r.Passed)+len(r.Others), skipped, listed, r.Platform, unexpected), unexpected
}

// markdown writes the report for people, followed by all of it for programs.
func (r *machineReport) markdown(w io.Writer) error {
	fmt.Fprintf(w, "# PureMetal report\n\nWritten by `puremetal doctor --report`. "+
		"Please attach it to an issue at <%s>.\n\n", issues)
	fmt.Fprintf(w, "- %s\n", r.Puremetal)
	for _, name := range sortedKeys(r.System) {
		fmt.Fprintf(w, "- %s: %s\n", name, r.System[name])
	}
	for _, name := range sortedKeys(r.Environment) {
		fmt.Fprintf(w, "- `%s=%s`\n", name, r.Environment[name])
	}
	fmt.Fprint(w, "\n## Checks\n\n")
	for _, f := range r.Checks {
		fmt.Fprintf(w, "- %s, %s: %s\n", f.Status, f.Check, f.Text)
	}
	fmt.Fprint(w, "\n## Devices\n")
	for _, d := range r.Drivers {
		if d.Error != "" {
			fmt.Fprintf(w, "\nDriver %s: %s\n", d.Name, d.Error)
		}
		for i := range d.Devices {
			fmt.Fprint(w, "\n```text\n")
			if err := d.Devices[i].text(w); err != nil {
				return err
			}
			fmt.Fprint(w, "```\n")
		}
	}
	if r.Conformance != nil {
		r.Conformance.markdown(w)
	} else {
		fmt.Fprint(w, "\n## Conformance\n\nNo results: there is no device, or the run was interrupted.\n")
	}
	all, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// a case or a device in a line, which halves the size of indented JSON
	text := regexp.MustCompile(`,("[^"]+/[^"]+":[0-9.e-]+[,}]|\{"case")`).ReplaceAll(all, []byte(",\n$1"))
	_, err = fmt.Fprintf(w, "\n<details><summary>Everything as JSON</summary>\n\n```json\n%s\n```\n\n</details>\n",
		text)
	return err
}

func (r *caseReport) markdown(w io.Writer) {
	text, _ := r.summary()
	fmt.Fprintf(w, "\n## Conformance\n\n%s, in %.1f s.\n\n", text, r.Seconds)
	outcomes := []conformance.Outcome{conformance.Passed, conformance.Failed, conformance.Crashed, conformance.Hung,
		conformance.Skipped, conformance.NotRun}
	fmt.Fprint(w, "| concept ")
	for _, o := range outcomes {
		fmt.Fprintf(w, "| %s ", o)
	}
	fmt.Fprintf(w, "|\n|---%s|\n", strings.Repeat("|---:", len(outcomes)))
	for _, concept := range r.order {
		fmt.Fprintf(w, "| %s ", concept)
		for _, o := range outcomes {
			fmt.Fprintf(w, "| %d ", r.Counts[concept][o])
		}
		fmt.Fprintln(w, "|")
	}
	for _, part := range []struct {
		title string
		has   func(*caseOutcome) bool
	}{
		{"Unexpected", (*caseOutcome).unexpected},
		{"Differences as listed", func(c *caseOutcome) bool { return !c.unexpected() && c.Difference != "" }},
		{"Skipped", func(c *caseOutcome) bool { return !c.unexpected() && c.Difference == "" }},
	} {
		fmt.Fprintf(w, "\n### %s\n\n", part.title)
		none := true
		for i := range r.Others {
			if c := &r.Others[i]; part.has(c) {
				c.markdown(w)
				none = false
			}
		}
		if none {
			fmt.Fprintln(w, "None.")
		}
	}
}

func (c *caseOutcome) markdown(w io.Writer) {
	fmt.Fprintf(w, "- **%s** %s after %.1f ms. %s", c.Case, c.Outcome, c.MS, c.Asserts)
	if c.Difference != "" {
		fmt.Fprintf(w, " Listed: %s.", c.Difference)
	}
	fmt.Fprintln(w)
	if c.Text != "" { // indented code, which no text can end
		fmt.Fprintf(w, "\n      %s\n\n", strings.ReplaceAll(strings.TrimSpace(c.Text), "\n", "\n      "))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
