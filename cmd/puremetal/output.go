package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
)

// output is an argument that is saved or printed after the run.
type output struct {
	text  string // the flag
	bound *boundArgument
	file  string
	data  []byte
}

// outputs checks the --out flags against the arguments and the file formats.
func (j *job) outputs() ([]*output, error) {
	var outs []*output
	for _, text := range j.cmd.Out {
		key, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, usage("--out %q; want INDEX=FILE.npy, .png, .csv, .raw, or INDEX=- for a table", text)
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
			return nil, usage("--out %s: %v is not set by --arg", text, &j.kernel.Parameters()[at])
		}
		if err := value.Writable(file, o.bound.value); err != nil {
			return nil, fmt.Errorf("--out %s: %w", text, err)
		}
		outs = append(outs, o)
		j.report.Wrote = append(j.report.Wrote, outputInfo{o.bound.parameter.Name, o.bound.value.Describe(), file})
	}
	return outs, nil
}

// download copies the kernel's output to the host.
func (o *output) download(ctx context.Context) error {
	o.data = make([]byte, o.bound.value.Size())
	if o.bound.buffer == nil {
		return readTexture(o.bound, o.data)
	}
	return o.bound.buffer.Download(ctx, o.data)
}

// write saves or prints the argument.
func (o *output) write(w io.Writer) error {
	if o.file == "-" {
		fmt.Fprintf(w, "%s: %s\n", o.bound.parameter.Name, o.bound.value.Describe())
		return value.Table(w, o.bound.value, o.data)
	}
	name := filepath.FromSlash(o.file)
	return storeFile(name, func(w io.Writer) error { return value.Write(w, name, o.bound.value, o.data) })
}

// storeFile creates a file. If writing fails, a partial regular file is removed; devices and
// symbolic links are left alone.
func storeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if info, e := os.Lstat(name); err != nil && e == nil && info.Mode().IsRegular() {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
