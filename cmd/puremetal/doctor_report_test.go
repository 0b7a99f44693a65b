package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/conformance"
)

// fakeCases starts processes that are goroutines: answer returns what comes of a case, and says
// whether the process lives on. A nil result is no answer.
type fakeCases struct {
	started int
	answer  func(name string) (r *conformance.Result, lives bool)
}

func (f *fakeCases) start(context.Context) (*caseProcess, error) {
	f.started++
	in, names := io.Pipe()
	results := make(chan conformance.Result)
	go func() {
		defer close(results)
		line := make([]byte, 100)
		for {
			n, err := in.Read(line)
			if err != nil {
				return
			}
			r, lives := f.answer(strings.TrimSpace(string(line[:n])))
			if r != nil {
				results <- *r
			}
			if !lives {
				return
			}
		}
	}()
	return &caseProcess{names, results, func() string {
		if err := in.CloseWithError(io.ErrClosedPipe); err != nil {
			return err.Error()
		}
		for range results {
		}
		return "last words"
	}}, nil
}

// atOnce is the limit for cases that hang: a time that is up.
func atOnce(name string) <-chan time.Time {
	c := make(chan time.Time)
	if strings.HasPrefix(name, "bad/hangs") {
		close(c)
	}
	return c
}

func passed(name string) *conformance.Result {
	return &conformance.Result{Case: name, Outcome: conformance.Passed, MS: 1}
}

// TestCaseRunner: a case that crashes or hangs has no part in what comes of the others.
func TestCaseRunner(t *testing.T) {
	f := &fakeCases{answer: func(name string) (*conformance.Result, bool) {
		switch name {
		case "bad/crashes", "listed/crashes":
			return nil, false
		case "bad/hangs":
			return nil, true
		}
		return passed(name), true
	}}
	c := caseRunner{start: f.start, limit: atOnce}
	cases := []conformance.Case{{Concept: "listed", Name: "crashes", Difference: "x"},
		{Concept: "listed", Name: "passes", Difference: "x"}, {Concept: "good", Name: "a"},
		{Concept: "bad", Name: "crashes"}, {Concept: "good", Name: "b"}, {Concept: "bad", Name: "hangs"},
		{Concept: "good", Name: "c"}}
	got, err := c.run(t.Context(), cases)
	require.NoError(t, err)
	var said []string
	for _, r := range got {
		said = append(said, strings.TrimSpace(r.Case+" "+string(r.Outcome)+" "+r.Text))
	}
	assert.Equal(t, []string{"good/a passed", "bad/crashes crashed last words", "good/b passed",
		"bad/hangs hung last words", "good/c passed", "listed/crashes crashed last words", "listed/passes passed"},
		said)
	assert.Equal(t, 5, f.started, "1 until the crash, 2 until the hang, 3, and one for each that is listed")

	sum := summarizeCases(cases, got, "Metal")
	text, unexpected := sum.summary()
	assert.Equal(t, "3 of 7 cases pass, 0 are skipped, 1 differ as listed for the Metal, 3 are unexpected", text)
	assert.Equal(t, 3, unexpected)
	assert.Equal(t, conceptCount{conformance.Crashed: 1, conformance.Hung: 1}, sum.Counts["bad"])
}

// TestCaseRunnerGivesUp: where nothing works, a report does not take hours.
func TestCaseRunnerGivesUp(t *testing.T) {
	f := &fakeCases{answer: func(string) (*conformance.Result, bool) { return nil, true }}
	c := caseRunner{start: f.start, limit: atOnce}
	cases := make([]conformance.Case, mostBroken+2)
	for i := range cases {
		cases[i] = conformance.Case{Concept: "bad", Name: "hangs"}
	}
	got, err := c.run(t.Context(), cases)
	require.NoError(t, err)
	assert.Equal(t, conformance.Hung, got[mostBroken-1].Outcome)
	assert.Equal(t, conformance.NotRun, got[mostBroken].Outcome)
	assert.Equal(t, conformance.NotRun, got[mostBroken+1].Outcome)
}

// TestCaseRunnerEnds: Ctrl-C ends a case that runs, and an error of the start is reported.
func TestCaseRunnerEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fakeCases{answer: func(string) (*conformance.Result, bool) {
		cancel(interrupted{syscall.SIGINT})
		return nil, true
	}}
	c := caseRunner{start: f.start, limit: atOnce}
	_, err := c.run(ctx, []conformance.Case{{Concept: "good", Name: "a"}})
	assert.ErrorIs(t, err, context.Canceled)

	c.start = func(context.Context) (*caseProcess, error) { return nil, errors.New("no process") }
	_, err = c.run(t.Context(), []conformance.Case{{Concept: "good", Name: "a"}})
	assert.EqualError(t, err, "no process")
}

// TestAnswerCases runs cases as the other process does.
func TestAnswerCases(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	var out bytes.Buffer
	require.NoError(t, answerCases(t.Context(), strings.NewReader("buffer/no bytes\ndevice/name\n"), &out))
	for _, name := range []string{"buffer/no bytes", "device/name"} {
		line, err := out.ReadBytes('\n')
		require.NoError(t, err)
		var r conformance.Result
		require.NoError(t, json.Unmarshal(line, &r))
		assert.Equal(t, name, r.Case)
		assert.Equal(t, conformance.Passed, r.Outcome, r.Text)
	}
	assert.ErrorContains(t, answerCases(t.Context(), strings.NewReader("none\n"), &out), `is called "none"`)
}

// TestCaseProcess: what a process that fails says is in the report.
func TestCaseProcess(t *testing.T) {
	p, err := startCases(t.Context())
	require.NoError(t, err)
	_, err = io.WriteString(p.names, "buffer/no bytes\nno such case\n")
	require.NoError(t, err)
	r := <-p.results
	assert.Equal(t, conformance.Passed, r.Outcome, r.Text)
	_, more := <-p.results
	assert.False(t, more)
	assert.Contains(t, p.stop(), `no conformance case is called "no such case"`)
}

// TestReadResults: lines that are no results, JSON or not, are left out.
func TestReadResults(t *testing.T) {
	var got []conformance.Result
	for r := range readResults(strings.NewReader("a warning\nnull\n{}\n{\"case\":\"a/b\",\"outcome\":\"passed\"}\n")) {
		got = append(got, r)
	}
	assert.Equal(t, []conformance.Result{{Case: "a/b", Outcome: conformance.Passed}}, got)
}

// TestReportHides: names of users and hosts, and home folders, are not in a report.
func TestReportHides(t *testing.T) {
	home := filepath.Join(t.TempDir(), "jane.doe")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	host, err := os.Hostname()
	require.NoError(t, err)
	d := doctor{app: &app{env: func(name string) string { return map[string]string{"USER": "jdoe"}[name] }}}
	hide := d.hider()
	for text, want := range map[string]string{
		filepath.Join(home, "x") + " of jdoe": "~" + string(filepath.Separator) + "x of USER",
		"by jane.doe, not jane.doers":         "by USER, not jane.doers",
		"on " + host + ".":                    "on HOST.",
		"/" + "Users/other/kernels.metal:3:1": "~/kernels.metal:3:1",
		`C:\` + `Users\other\x.npy`:           `~\x.npy`,
		"\t/src/jobs/secret/main.go:7 +0x1d":  "\tmain.go:7 +0x1d",
		"2 of 3 jdoers":                       "2 of 3 jdoers",
		"\texample.com/a/b/call.go:39 +0x2":   "\texample.com/a/b/call.go:39 +0x2",
	} {
		assert.Equal(t, want, hide(text))
	}
}

// TestReport writes a report with a failure, and reads it again.
func TestReport(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	file := filepath.Join(t.TempDir(), "report.md")
	bad := "buffer/no bytes"
	f := &fakeCases{answer: func(name string) (*conformance.Result, bool) {
		if name == bad {
			return &conformance.Result{Case: name, Outcome: conformance.Failed, MS: 2, Text: "got 1\n```"}, true
		}
		return passed(name), true
	}}
	var out bytes.Buffer
	a := &app{ctx: t.Context(), out: &out, err: &out, env: os.Getenv, reportSources: reportSources{
		startCases: f.start,
		environ:    func() []string { return []string{"PUREMETAL_DRIVER=software", "PATH=/bin", "MTL_DEBUG_LAYER=1"} }}}
	require.Equal(t, 0, a.main([]string{"doctor", "--report", file}), "%s", &out)
	assert.Contains(t, out.String(), "1 are unexpected")
	assert.Contains(t, out.String(), issues)

	b, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Less(t, len(b), 65536, "GitHub's limit for a comment")
	assert.Contains(t, string(b), "### Unexpected\n\n- **"+bad+"** failed after 2.0 ms. ")
	assert.Contains(t, string(b), "\n\n      got 1\n      ```\n\n")
	_, text, ok := strings.Cut(string(b), "\n```json\n")
	require.True(t, ok)
	text, _, ok = strings.Cut(text, "\n```\n")
	require.True(t, ok)
	var r machineReport
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.Equal(t, map[string]string{"PUREMETAL_DRIVER": "software", "MTL_DEBUG_LAYER": "1"}, r.Environment)
	require.Len(t, r.Drivers, 2)
	assert.True(t, r.Drivers[1].Used)
	require.Len(t, r.Drivers[1].Devices, 1)
	assert.Equal(t, "PureMetal Software GPU", r.Drivers[1].Devices[0].Name)
	assert.Regexp(t, `\n## Devices\n(?s:.*)\nfamilies +Apple1, `, string(b))
	require.Len(t, r.Conformance.Others, 1)
	assert.Equal(t, bad, r.Conformance.Others[0].Case)
	cases, _ := conformance.Cases()
	assert.Len(t, r.Conformance.Passed, len(cases)-1)
}

// TestReportRefused: a file that cannot be written is reported before the cases run.
func TestReportRefused(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	var out bytes.Buffer
	a := &app{ctx: t.Context(), out: &out, err: &out, env: os.Getenv, reportSources: reportSources{environ: os.Environ}}
	dir := t.TempDir()
	for _, file := range []string{dir, filepath.Join(dir, "missing", "report.md")} {
		out.Reset()
		assert.Equal(t, 1, a.main([]string{"doctor", "--report", file}))
		assert.Contains(t, out.String(), "puremetal: --report: ")
	}
}

// TestReportInterrupted: a run that ends early leaves a report without results of cases.
func TestReportInterrupted(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fakeCases{answer: func(string) (*conformance.Result, bool) {
		cancel(interrupted{syscall.SIGINT})
		return nil, true
	}}
	var out bytes.Buffer
	a := &app{ctx: ctx, out: &out, err: &out, env: os.Getenv,
		reportSources: reportSources{environ: os.Environ, startCases: f.start}}
	file := filepath.Join(t.TempDir(), "report.md")
	assert.Equal(t, 130, a.main([]string{"doctor", "--report", file}), "%s", &out)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(b), "- ok, device 0: PureMetal Software GPU\n")
	assert.Contains(t, string(b), "No results: there is no device, or the run was interrupted.")
}
