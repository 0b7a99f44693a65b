package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
)

// output is an argument that is saved or printed after the run.
type output struct {
	from   option
	label  string // of a table
	memory *memory
	file   string
	data   []byte
}

// outputs checks what a step saves against its arguments and the file formats.
func (j *job) outputs(l *launch) error {
	parameters := l.takes
	for _, from := range l.out {
		key, file, err := outputFile(from)
		if err != nil {
			return err
		}
		at, err := find(parameters, key, compute.BufferParameter, compute.TextureParameter)
		if err != nil {
			return usage("%v: %v", from, err)
		}
		i := slices.IndexFunc(l.bound, func(b binding) bool { return b.parameter == &parameters[at] })
		if i < 0 {
			return usage("%v: %v is not set by %s", from, &parameters[at], l.entry("--arg", "args", key+"=VALUE"))
		}
		o := &output{from: from, label: parameters[at].Name, memory: l.bound[i].memory, file: file}
		if l.number > 0 {
			o.label = fmt.Sprintf("step %d, %s", l.number, o.label)
		}
		if err := j.addOutput(&l.outs, o, parameters[at].Name, l.number); err != nil {
			return err
		}
	}
	return nil
}

// sharedOutputs checks which of [buffers] are saved after the last step.
func (j *job) sharedOutputs() error {
	last := j.steps[len(j.steps)-1]
	for _, from := range j.plan.out {
		key, file, err := outputFile(from)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(j.shared, func(m *memory) bool { return m.name == key })
		if i < 0 {
			return usage("%v: %s", from, noBuffer(j.plan.buffers, key))
		}
		if err := j.addOutput(&last.outs, &output{from: from, label: key, memory: j.shared[i], file: file}, key,
			0); err != nil {
			return err
		}
	}
	return nil
}

// addOutput checks an output and appends it to a list and to the report.
func (j *job) addOutput(to *[]*output, o *output, argument string, step int) error {
	if err := value.Writable(o.file, o.memory.value); err != nil {
		return fmt.Errorf("%v: %w", o.from, err)
	}
	*to = append(*to, o)
	j.report.Wrote = append(j.report.Wrote, outputInfo{argument, o.memory.value.Describe(), o.file, step})
	return nil
}

// outputFile splits INDEX=FILE.
func outputFile(o option) (key, file string, err error) {
	key, file, ok := strings.Cut(o.text, "=")
	if !ok || file == "" {
		return "", "", usage("%s %q; want INDEX=FILE.npy, .png, .csv, .raw, or INDEX=- for a table", o.origin, o.text)
	}
	return key, file, nil
}

// download copies the kernel's output to the host.
func (o *output) download(ctx context.Context) error {
	o.data = make([]byte, o.memory.value.Size())
	if o.memory.buffer == nil {
		return readTexture(ctx, o.memory, o.data)
	}
	return o.memory.buffer.Download(ctx, o.data)
}

// write saves or prints the argument.
func (o *output) write(w io.Writer) error {
	if o.file == "-" {
		fmt.Fprintf(w, "%s: %s\n", o.label, o.memory.value.Describe())
		return value.Table(w, o.memory.value, o.data)
	}
	name := filepath.FromSlash(o.file)
	if strings.HasSuffix(o.file, "/") {
		return o.writeLayers(name)
	}
	return storeFile(name, func(w io.Writer) error { return value.Write(w, name, o.memory.value, o.data) })
}

// writeLayers saves each layer as 000.png, 001.png and so on in a directory.
func (o *output) writeLayers(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	layer := o.memory.value.Layer()
	size := layer.Size()
	for i := range len(o.data) / size {
		name := filepath.Join(dir, fmt.Sprintf("%03d.png", i))
		err := storeFile(name, func(w io.Writer) error { return value.Write(w, name, layer, o.data[i*size:][:size]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// lateFile is a file that is created when something is first written to it.
type lateFile struct {
	name string
	file *os.File
}

func (l *lateFile) Write(b []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = os.Create(l.name); err != nil {
			return 0, err
		}
	}
	return l.file.Write(b)
}

// storeLate is storeFile, but leaves a file that is there alone unless something is written.
func storeLate(name string, write func(io.Writer) error) error {
	l := &lateFile{name: name}
	err := write(l)
	if l.file == nil {
		return err
	}
	return closeStored(l.file, err)
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
	return closeStored(f, err)
}

// closeStored closes a file after writing to it has ended with an error or nil.
func closeStored(f *os.File, err error) error {
	if e := f.Close(); err == nil {
		err = e
	}
	if info, e := os.Lstat(f.Name()); err != nil && e == nil && info.Mode().IsRegular() {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
