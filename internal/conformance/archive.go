package conformance

import (
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// archiveCases are about binary archives: pipelines that are kept in a file.
func archiveCases() []aCase {
	empty := func(r *rig) mtl.BinaryArchive {
		return own(r, must(r.device.NewBinaryArchive(own(r, must(mtl.NewBinaryArchiveDescriptor())))))
	}
	load := func(r *rig, path string) (mtl.BinaryArchive, error) {
		d := own(r, must(mtl.NewBinaryArchiveDescriptor()))
		d.SetUrl(path)
		return r.device.NewBinaryArchive(d)
	}
	// described returns a descriptor of a pipeline of one of the shared kernels.
	described := func(r *rig, kernel string, archives ...mtl.BinaryArchive) mtl.ComputePipelineDescriptor {
		d := own(r, must(mtl.NewComputePipelineDescriptor()))
		d.SetComputeFunction(r.function(kernel))
		d.SetBinaryArchives(archives)
		return d
	}
	// stored writes an archive of one pipeline to a file.
	stored := func(r *rig, kernel string) string {
		a := empty(r)
		path := filepath.Join(r.TempDir(), "pipelines")
		do(a.AddComputePipelineFunctions(described(r, kernel)), a.SerializeToFile(path))
		return path
	}
	const strict = mtl.PipelineOptionFailOnBinaryArchiveMiss
	cases := []aCase{
		{"empty", "A new archive has a label and a device, and no pipelines.", func(r *rig) {
			a := empty(r)
			a.SetLabel("kept")
			assert.Equal(r, "kept", a.Label())
			assert.Equal(r, r.device.RegistryID(), a.Device().RegistryID())
			_, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "number", a), strict)
			assert.Error(r, err)
		}},
		{"a miss is allowed", "A pipeline that is not in the archives is compiled, unless that is forbidden.", func(r *rig) {
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "number", empty(r)), 0)
			do(err)
			own(r, p)
		}},
		{"added", "A pipeline that was added is found.", func(r *rig) {
			a := empty(r)
			do(a.AddComputePipelineFunctions(described(r, "number")))
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "number", a), strict)
			do(err)
			own(r, p)
		}},
		{"another kernel", "Another kernel than the one added is not found.", func(r *rig) {
			a := empty(r)
			do(a.AddComputePipelineFunctions(described(r, "number")))
			_, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "add", a), strict)
			assert.Error(r, err)
		}},
		{"file", "An archive of a file has what was written, and its pipelines run.", func(r *rig) {
			a := own(r, must(load(r, stored(r, "number"))))
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "number", a), strict)
			do(err)
			own(r, p)
			x := r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, count(4), r.words(x))
		}},
		{"written again", "An archive of a file takes more pipelines and is written again.", func(r *rig) {
			path := stored(r, "number")
			a := own(r, must(load(r, path)))
			do(a.AddComputePipelineFunctions(described(r, "add")), a.SerializeToFile(path))
			b := own(r, must(load(r, path)))
			for _, k := range []string{"number", "add"} {
				p, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, k, b), strict)
				do(err)
				own(r, p)
			}
		}},
		{"several archives", "A pipeline is looked for in all archives.", func(r *rig) {
			a, b := empty(r), own(r, must(load(r, stored(r, "twice"))))
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(described(r, "twice", a, b), strict)
			do(err)
			own(r, p)
		}},
		{"no file", "An archive of a file that there is none is refused.", func(r *rig) {
			_, err := load(r, filepath.Join(r.TempDir(), "absent"))
			assert.Error(r, err)
		}},
		{"no folder", "An archive is not written to a folder that there is none.", func(r *rig) {
			a := empty(r)
			do(a.AddComputePipelineFunctions(described(r, "number")))
			assert.Error(r, a.SerializeToFile(filepath.Join(r.TempDir(), "absent", "file")))
		}},
		{"no function", "A descriptor without a function cannot be added.", func(r *rig) {
			r.refused(empty(r).AddComputePipelineFunctions(own(r, must(mtl.NewComputePipelineDescriptor()))), mtl.ErrNil)
		}},
		{"nil descriptor", "A nil descriptor makes no archive.", func(r *rig) {
			_, err := r.device.NewBinaryArchive(mtl.BinaryArchiveDescriptor{})
			r.refused(err, mtl.ErrNil)
		}},
	}
	for _, k := range []struct {
		name  string
		spoil func([]byte) []byte
	}{
		{"no bytes", func([]byte) []byte { return nil }},
		{"text", func([]byte) []byte { return []byte("this is no archive of pipelines") }},
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }},
		{"first byte", func(b []byte) []byte { b[0] ^= 0x40; return b }},
		{"without its head", func(b []byte) []byte { return b[64:] }},
	} {
		cases = append(cases, aCase{"broken file: " + k.name, "A file that is no archive, or no longer, is refused.",
			func(r *rig) {
				path := stored(r, "number")
				b := must(os.ReadFile(path))
				do(os.WriteFile(path, k.spoil(b), 0o600))
				_, err := load(r, path)
				assert.Error(r, err)
			}})
	}
	return cases
}
