package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// archive is the state of an MTLBinaryArchive.
type archive struct {
	adapter.Label
	dev *device.Device
	*shader.Archive
}

func archiveClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newBinaryArchiveWithDescriptor:error:": adapter.Method(newBinaryArchive)}},
		{Name: "MTLBinaryArchiveDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "url", Copied: true}}},
		{Name: "PMSoftBinaryArchive", Protocols: []string{"MTLBinaryArchive"},
			Methods: adapter.WithLabel[*archive](adapter.Methods{
				"device": adapter.Method(func(a *archive, c *objcsoft.Call) { c.ReturnID(a.dev.ID) }),
				"addComputePipelineFunctionsWithDescriptor:error:": adapter.Method((*archive).addPipeline),
				"addFunctionWithDescriptor:library:error:":         adapter.Method((*archive).addFunction),
				"addLibraryWithDescriptor:error:": adapter.Method(func(_ *archive, c *objcsoft.Call) {
					adapter.Refuse(c, 1, metal.BinaryArchiveErrorDomain, shader.ArchiveCompilationFailure, noStitching)
				}),
				"serializeToURL:error:": adapter.Method((*archive).serialize),
			})},
	}
}

// inArchives reports whether one of the archives has something.
func inArchives(list []*archive, has func(*shader.Archive) bool) bool {
	for _, a := range list {
		if has(a.Archive) {
			return true
		}
	}
	return false
}

func archiveError(code int, err error) *shader.Error {
	return &shader.Error{Domain: metal.BinaryArchiveErrorDomain, Code: code, Text: err.Error()}
}

// readArchive reads an archive from a file. Only code that somebody in this process trusts is used:
// anyone may have written the file.
func readArchive(d *device.Device, path string) (*shader.Archive, *shader.Error) {
	data, err := document.Library.ReadFile(path)
	if err != nil {
		return nil, archiveError(shader.ArchiveInvalidFile, err)
	}
	return shader.DecodeArchive(context.Background(), data, d.Trusts(data))
}

func newBinaryArchive(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	a := shader.NewArchive()
	if url := r.ID("url"); url != 0 {
		path, isFile, err := c.RT.GoURL(url)
		if err != nil {
			c.Fail(err)
			return
		}
		fault := archiveError(shader.ArchiveInvalidFile, errorf("the URL %q is no file's", path))
		if isFile {
			a, fault = readArchive(d, path)
		}
		if fault != nil {
			refuseError(c, 1, fault)
			return
		}
	}
	c.ReturnID(d.Driver.New("PMSoftBinaryArchive", &archive{dev: d, Archive: a}))
}

func (a *archive) addPipeline(c *objcsoft.Call) {
	s, ok := pipelineDescriptorArg(a.dev, c, 0)
	if !ok {
		return
	}
	fault := s.fault
	if fault == nil {
		_, fault = shader.NewPipeline(s.PipelineSpec)
	}
	if fault != nil {
		adapter.Refuse(c, 1, metal.BinaryArchiveErrorDomain, shader.ArchiveCompilationFailure, "%s", fault.Text)
		return
	}
	a.AddPipeline(&s.PipelineSpec)
	c.ReturnBool(true)
}

func (a *archive) addFunction(c *objcsoft.Call) {
	s, ok := descriptorArg(c, 0)
	if !ok {
		return
	}
	l, ok := adapter.Payload[*library](c, 1)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "library must not be nil")
		}
		return
	}
	f, fault := l.lib.Specialize(context.Background(), s.name, s.values)
	switch {
	case fault != nil:
		adapter.Refuse(c, 2, metal.BinaryArchiveErrorDomain, shader.ArchiveCompilationFailure, "%s", fault.Text)
	case f.Type != shader.Visible:
		adapter.Refuse(c, 2, metal.BinaryArchiveErrorDomain, shader.ArchiveUnexpectedElement,
			"function '%s' is not a visible or intersection function", f.Name)
	default:
		a.AddFunction(f)
		c.ReturnBool(true)
	}
}

func (a *archive) serialize(c *objcsoft.Call) {
	path, ok := pathArg(c, 0)
	if !ok {
		return
	}
	if err := writeFile(path, a.Encode()); err != nil {
		refuseError(c, 1, archiveError(shader.ArchiveInternalError, err))
		return
	}
	c.ReturnBool(true)
}

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
