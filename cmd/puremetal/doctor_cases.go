//go:build !puremetal_run

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/puremetal/puremetal/internal/conformance"
)

// The conformance cases of a report run in a process of their own, because a case may end it or
// never return. That process is doctor --run-cases: it reads names of cases and answers each with
// a line of JSON.

const (
	caseTime   = 30 * time.Second // for a case
	mostBroken = 20               // cases that crash or hang before the rest is not run
	mostText   = 2 << 10          // of what a case has to say
)

// answerCases runs the cases that in names, one in a line, and writes their results to out.
func answerCases(ctx context.Context, in io.Reader, out io.Writer) error {
	all, _ := conformance.Cases()
	byName := make(map[string]conformance.Case, len(all))
	for _, c := range all {
		byName[c.String()] = c
	}
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		c, ok := byName[lines.Text()]
		if !ok {
			return fmt.Errorf("no conformance case is called %q", lines.Text())
		}
		r := c.Record(ctx)
		r.Text = r.Text[:min(len(r.Text), mostText)]
		if err := answers.Encode(r); err != nil {
			return err
		}
	}
	return lines.Err()
}

// caseProcess is a process that runs cases.
type caseProcess struct {
	names   io.WriteCloser
	results <-chan conformance.Result // closed when the process ends
	stop    func() string             // ends it and returns what it wrote to the standard error
}

// startCases starts this program as a process that runs cases.
func startCases(ctx context.Context) (*caseProcess, error) {
	c, err := self(ctx, "doctor", "--run-cases")
	if err != nil {
		return nil, err
	}
	said := &head{}
	c.Stderr = said
	names, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	results := readResults(out)
	stop := func() string {
		_ = c.Process.Kill() // it fails only if the process has ended
		for range results {  // until its output is read
		}
		if err := c.Wait(); err != nil {
			return fmt.Sprintf("%v\n%s", err, said)
		}
		return said.String()
	}
	return &caseProcess{names, results, stop}, nil
}

// readResults returns the results that a process writes, until it ends.
func readResults(in io.Reader) <-chan conformance.Result {
	results := make(chan conformance.Result)
	go func() {
		defer close(results)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			var r conformance.Result
			// frameworks may write lines of their own
			if json.Unmarshal(lines.Bytes(), &r) == nil && r.Case != "" {
				results <- r
			}
		}
	}()
	return results
}

// head keeps the beginning of what is written to it, where a crash says its reason.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), mostText-h.Len())])
	return len(p), nil
}

// caseRunner runs cases in processes.
type caseRunner struct {
	start func(context.Context) (*caseProcess, error)
	limit func(name string) <-chan time.Time // fires when a case that has begun takes too long
	bar   *progressBar
}

// run runs all cases. Those that may not hold here come last, each in a new process, as they may
// leave one that is of no more use.
func (c *caseRunner) run(ctx context.Context, cases []conformance.Case) ([]conformance.Result, error) {
	var out []conformance.Result
	var p *caseProcess
	end := func() (said string) {
		if p != nil {
			said = p.stop()
			p = nil
		}
		return said
	}
	defer end()
	broken := 0
	for _, k := range slices.SortedStableFunc(slices.Values(cases), differingLast) {
		if broken == mostBroken {
			out = append(out, conformance.Result{Case: k.String(), Outcome: conformance.NotRun})
			continue
		}
		if k.Difference != "" {
			end()
		}
		if p == nil {
			var err error
			if p, err = c.start(ctx); err != nil {
				return nil, err
			}
		}
		r, err := c.ask(ctx, p, k.String())
		if err != nil {
			return nil, err
		}
		if r.Outcome == conformance.Crashed || r.Outcome == conformance.Hung {
			if r.Text = end(); k.Difference == "" {
				broken++
			}
		}
		out = append(out, r)
		c.bar.add()
	}
	return out, nil
}

// differingLast orders cases.
func differingLast(a, b conformance.Case) int {
	switch {
	case a.Difference == "" && b.Difference != "":
		return -1
	case a.Difference != "" && b.Difference == "":
		return 1
	}
	return 0
}

// ask has a process run a case.
func (c *caseRunner) ask(ctx context.Context, p *caseProcess, name string) (conformance.Result, error) {
	start := time.Now()
	r, outcome := conformance.Result{}, conformance.Crashed
	if _, err := fmt.Fprintln(p.names, name); err == nil {
		var answered bool
		select {
		case <-ctx.Done():
		case <-c.limit(name):
			outcome = conformance.Hung
		case r, answered = <-p.results:
		}
		if answered {
			return r, nil
		}
	}
	if err := ctx.Err(); err != nil { // it also ends the process
		return r, err
	}
	return conformance.Result{Case: name, Outcome: outcome, MS: ms(time.Since(start))}, nil
}
