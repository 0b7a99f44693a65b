package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/puremetal/puremetal/internal/machine"
)

// watch runs the kernel, and runs it again after each change of a file that it read. A run that
// fails leaves the output files of the last good one in place.
func (c *runCmd) watch(a *app) error {
	if c.File == "-" {
		return usage("--watch needs a file; standard input cannot change")
	}
	poll := a.poll
	if poll == nil {
		poll = time.Tick(machine.WatchInterval)
	}
	files := machine.WatchFiles(os.Stat) // of all runs: one that fails may not have read them all
	for first := true; ; first = false {
		run := *c // a spec file fills in the rest, anew each time
		files.Refresh()
		run.files = files
		p, err := run.resolve(a)
		if err != nil && first {
			return err
		}
		if err == nil {
			err = run.run(a, p)
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			a.fail(err)
		}
		fmt.Fprintln(a.err, "puremetal: waiting for changes")
		name, err := files.Wait(a.ctx, poll)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.err, "puremetal: %s has changed\n", filepath.ToSlash(name))
	}
}
