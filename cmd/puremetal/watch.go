package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// watched is the files that a run read, as they were before it read them. A nil *watched records
// nothing.
type watched map[string]stamp

// stamp tells versions of a file apart; it is zero for a file that cannot be read.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(name string) stamp {
	info, err := os.Stat(name)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// add records a file that is about to be read.
func (w watched) add(name string) {
	if w != nil {
		w[name] = stampOf(name)
	}
}

// changed returns the name of a file that has changed. One that is gone may be about to come back:
// editors rename files.
func (w watched) changed() (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if now := stampOf(name); now != (stamp{}) && now != w[name] {
			return name, true
		}
	}
	return "", false
}

// pollInterval is how often --watch looks at the files.
const pollInterval = 200 * time.Millisecond

// watch runs the kernel, and runs it again after each change of a file that it read. A run that
// fails leaves the output files of the last good one in place.
func (c *runCmd) watch(a *app) error {
	if c.File == "-" {
		return usage("--watch needs a file; standard input cannot change")
	}
	poll := a.poll
	if poll == nil {
		poll = time.Tick(pollInterval)
	}
	files := watched{} // of all runs: one that fails may not have read them all
	for first := true; ; first = false {
		run := *c // a spec file fills in the rest, anew each time
		for name := range files {
			files.add(name)
		}
		run.files = files
		text, err := run.resolve(a)
		if err != nil && first {
			return err
		}
		if err == nil {
			err = run.run(a, text)
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			a.fail(err)
		}
		fmt.Fprintln(a.err, "puremetal: waiting for changes")
		name, changed := "", false
		for !changed {
			select {
			case <-a.ctx.Done():
				return a.ctx.Err()
			case <-poll:
				name, changed = files.changed()
			}
		}
		fmt.Fprintf(a.err, "puremetal: %s has changed\n", filepath.ToSlash(name))
	}
}
