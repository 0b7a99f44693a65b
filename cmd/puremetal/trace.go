//go:build !puremetal_run

package main

import (
	"fmt"

	"github.com/puremetal/puremetal/compute/profile"
	"github.com/puremetal/puremetal/internal/document"
)

// traceCmd is the trace command.
type traceCmd struct {
	What string `arg:"" enum:"view" help:"view."`
	File string `arg:"" help:"A file that run --trace or package profile has written."`

	JSON  bool   `name:"json" help:"Print all events and the summary as JSON."`
	Pprof string `placeholder:"FILE" help:"Also write a profile for go tool pprof: device time by kernel and line."`
}

// Help returns the text that trace --help shows after the flags.
func (*traceCmd) Help() string { return traceHelp }

const traceHelp = `trace view prints what a trace of run --trace contains: device times by kernel with percentiles,
named operations, how busy each stream kept the device, transfers. The same file opens as a timeline
in ui.perfetto.dev and chrome://tracing.

Examples:

  puremetal run examples/mandelbrot --repeat 20 --trace out.json
  puremetal trace view out.json
  puremetal trace view out.json --pprof device.pb.gz && go tool pprof -top device.pb.gz
`

// Run prints the summary.
func (c *traceCmd) Run(a *app) error {
	p, err := abandonable(a.ctx, c.read)
	if err != nil {
		return err
	}
	if c.Pprof != "" {
		if err := storeFile(c.Pprof, p.WritePprof); err != nil {
			return err
		}
	}
	if c.JSON {
		return p.WriteJSON(a.out)
	}
	return p.WriteText(a.out)
}

// read reads the file.
func (c *traceCmd) read() (*profile.Profile, error) {
	f, err := document.Trace.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.ReadTrace(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	return p, nil
}
