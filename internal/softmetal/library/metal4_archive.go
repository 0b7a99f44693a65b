package library

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// serializer4 is the state of an MTL4PipelineDataSetSerializer: it keeps what a compiler makes.
type serializer4 struct {
	archive  *shader.Archive
	binaries bool // whether it may write an archive
}

// archive4 is the state of an MTL4Archive.
type archive4 struct {
	adapter.Label
	dev     *device.Device
	archive *shader.Archive
}

func archive4Classes() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newArchiveWithURL:error:":                    adapter.Method(newArchive4),
			"newPipelineDataSetSerializerWithDescriptor:": adapter.Method(newSerializer4),
		}},
		{Name: "PMSoftPipelineDataSetSerializer4", Protocols: []string{"MTL4PipelineDataSetSerializer"},
			Methods: adapter.Methods{
				"serializeAsArchiveAndFlushToURL:error:": adapter.Method((*serializer4).write),
				"serializeAsPipelinesScriptWithError:": adapter.Method(func(_ *serializer4, c *objcsoft.Call) {
					adapter.Refuse(c, 0, metal.LibraryErrorDomain, shader.Unsupported,
						"the software device does not write pipelines scripts")
				}),
			}},
		{Name: "PMSoftArchive4", Protocols: []string{"MTL4Archive"}, Methods: adapter.WithLabel[*archive4](adapter.Methods{
			"newComputePipelineStateWithDescriptor:error:": adapter.Method(func(a *archive4,
				c *objcsoft.Call) {
				a.newPipeline(c, -1, 1)
			}),
			"newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:": adapter.Method(func(a *archive4,
				c *objcsoft.Call) {
				a.newPipeline(c, 1, 2)
			}),
			"newBinaryFunctionWithDescriptor:error:": adapter.Method((*archive4).newBinaryFunction),
		})},
	}
}

func newSerializer4(d *device.Device, c *objcsoft.Call) {
	if r := adapter.RecordArg(c, 0, "the descriptor"); r != nil {
		binaries := r.Uint("configuration")&metal.MTL4PipelineDataSetSerializerConfigurationCaptureBinaries != 0
		c.ReturnID(d.Driver.New("PMSoftPipelineDataSetSerializer4", &serializer4{shader.NewArchive(), binaries}))
	}
}

func (s *serializer4) write(c *objcsoft.Call) {
	path, ok := pathArg(c, 0)
	if !ok {
		return
	}
	if !s.binaries {
		adapter.Refuse(c, 1, metal.BinaryArchiveErrorDomain, shader.ArchiveInternalError,
			"the serializer was not made to capture binaries")
		return
	}
	if err := s.archive.Flush(func(data []byte) error { return writeFile(path, data) }); err != nil {
		refuseError(c, 1, archiveError(shader.ArchiveInternalError, err))
		return
	}
	c.ReturnBool(true)
}

func newArchive4(d *device.Device, c *objcsoft.Call) {
	path, ok := pathArg(c, 0)
	if !ok {
		return
	}
	a, err := readArchive(d, path)
	if err != nil {
		refuseError(c, 1, err)
		return
	}
	c.ReturnID(d.Driver.New("PMSoftArchive4", &archive4{dev: d, archive: a}))
}

func (a *archive4) newPipeline(c *objcsoft.Call, linking, out int) {
	s, ok := pipeline4Arg(a.dev, c, 0, linking)
	if !ok {
		return
	}
	if s.fault == nil && !a.archive.HasPipeline(&s.PipelineSpec) {
		adapter.Refuse(c, out, metal.BinaryArchiveErrorDomain, shader.ArchiveUnexpectedElement,
			"the archive does not have the pipeline of function '%s'", s.Function.Name)
		return
	}
	_, id, err := newPipelineState(a.dev, s)
	if err != nil {
		refuseError(c, out, err)
		return
	}
	c.ReturnID(id)
}

func (a *archive4) newBinaryFunction(c *objcsoft.Call) {
	f, ok := binaryFunctionArg(a.dev, c, 0)
	switch {
	case !ok:
	case f.fault != nil:
		refuseError(c, 1, f.fault)
	case !a.archive.HasFunction(f.fn):
		adapter.Refuse(c, 1, metal.BinaryArchiveErrorDomain, shader.ArchiveUnexpectedElement,
			"the archive does not have the function '%s'", f.name)
	default:
		c.ReturnID(a.dev.Driver.New("PMSoftBinaryFunction4", &binaryFunction4{f.name, f.fn}))
	}
}
