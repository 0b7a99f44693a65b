package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
)

// output is an argument that is stored or shown after the run.
type output struct {
	text  string // the flag
	bound *bound
	file  string
	data  []byte
}

// outputs checks --out flags against the arguments there are, and against the formats.
func (j *job) outputs() ([]*output, error) {
	var outs []*output
	for _, text := range j.cmd.Out {
		key, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, usage("--out %q; want INDEX=FILE.npy, .png, .csv, or INDEX=- for a table", text)
		}
		at, err := find(j.kernel.Parameters(), key, compute.BufferParameter, compute.TextureParameter)
		if err != nil {
			return nil, usage("--out %s: %v", text, err)
		}
		o := &output{text: text, file: file}
		for _, b := range j.bound {
			if b.parameter.Index == j.kernel.Parameters()[at].Index && b.parameter.Kind == j.kernel.Parameters()[at].Kind {
				o.bound = b
			}
		}
		if o.bound == nil {
			return nil, usage("--out %s: no --arg gives %v", text, &j.kernel.Parameters()[at])
		}
		if err := value.Writable(file, o.bound.value); err != nil {
			return nil, fmt.Errorf("--out %s: %w", text, err)
		}
		outs = append(outs, o)
		j.report.Wrote = append(j.report.Wrote, outputInfo{o.bound.parameter.Name, o.bound.value.Describe(), file})
	}
	return outs, nil
}

// take copies what the kernel wrote.
func (o *output) take(ctx context.Context) error {
	o.data = make([]byte, o.bound.value.Size())
	if o.bound.buffer == nil {
		return readTexture(o.bound, o.data)
	}
	return o.bound.buffer.Download(ctx, o.data)
}

// write stores or shows the argument.
func (o *output) write(w io.Writer) error {
	if o.file == "-" {
		fmt.Fprintf(w, "%s: %s\n", o.bound.parameter.Name, o.bound.value.Describe())
		return value.Table(w, o.bound.value, o.data)
	}
	return value.WriteFile(filepath.FromSlash(o.file), o.bound.value, o.data)
}
