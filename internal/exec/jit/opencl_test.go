package jit

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// openCL is the part of an OpenCL CPU device needed to compare speed. Nothing else in the project
// uses OpenCL.
type openCL struct {
	context, queue, program uintptr

	createBuffer func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, err *int32) uintptr
	createImage  func(context uintptr, flags uint64, format *[2]uint32, shape *imageShape, host unsafe.Pointer,
		err *int32) uintptr
	release func(mem uintptr) int32
	read    func(queue, mem uintptr, blocking uint32, offset, size uintptr, to unsafe.Pointer, waits uint32, wait,
		event unsafe.Pointer) int32
	kernel  func(program uintptr, name string, err *int32) uintptr
	setArg  func(kernel uintptr, index uint32, size uintptr, value unsafe.Pointer) int32
	enqueue func(queue, kernel uintptr, dims uint32, offset, global, local *[3]uintptr, waits uint32, wait,
		event unsafe.Pointer) int32
	finish func(queue uintptr) int32
}

// imageShape is OpenCL's cl_image_desc.
type imageShape struct {
	kind          uint32
	width, height uintptr
	_             [4]uintptr // depth, layers, distances of rows and of layers
	_             [2]uint32  // levels and samples
	_             uintptr    // a buffer to share the memory of
}

// openCLFast has OpenCL compute as Metal does by default.
const openCLFast = "-cl-fast-relaxed-math"

// newOpenCL builds a program on the system's OpenCL device, or returns an error that says what is
// missing.
func newOpenCL(source, options string) (*openCL, error) {
	lib, err := openLibrary("libOpenCL.so.1")
	if err != nil {
		return nil, err
	}
	c := &openCL{}
	var platforms func(n uint32, ids *uintptr, count *uint32) int32
	var devices func(platform uintptr, kind uint64, n uint32, ids *uintptr, count *uint32) int32
	var context func(properties unsafe.Pointer, n uint32, devices *uintptr, notify, data unsafe.Pointer,
		err *int32) uintptr
	var queue func(context, device uintptr, properties uint64, err *int32) uintptr
	var program func(context uintptr, n uint32, text *unsafe.Pointer, lengths *uintptr, err *int32) uintptr
	var build func(program uintptr, n uint32, devices *uintptr, options string, notify, data unsafe.Pointer) int32
	for name, fn := range map[string]any{"clGetPlatformIDs": &platforms, "clGetDeviceIDs": &devices,
		"clCreateContext": &context, "clCreateCommandQueue": &queue,
		"clCreateProgramWithSource": &program, "clBuildProgram": &build, "clCreateBuffer": &c.createBuffer,
		"clReleaseMemObject": &c.release, "clCreateImage": &c.createImage,
		"clEnqueueReadBuffer": &c.read, "clCreateKernel": &c.kernel, "clSetKernelArg": &c.setArg,
		"clEnqueueNDRangeKernel": &c.enqueue, "clFinish": &c.finish} {
		purego.RegisterLibFunc(fn, lib, name)
	}
	var platform, device uintptr
	var n uint32
	if code := platforms(1, &platform, &n); code != 0 || n == 0 {
		return nil, fmt.Errorf("no OpenCL platform (%d)", code)
	}
	const cpu = 1 << 1
	if code := devices(platform, cpu, 1, &device, &n); code != 0 {
		return nil, fmt.Errorf("no OpenCL device that is a processor (%d)", code)
	}
	var code int32
	c.context = context(nil, 1, &device, nil, nil, &code)
	if code == 0 {
		c.queue = queue(c.context, device, 0, &code)
	}
	if code != 0 {
		return nil, fmt.Errorf("OpenCL context: %d", code)
	}
	text := []byte(source)
	at, length := unsafe.Pointer(&text[0]), uintptr(len(text))
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(at)
	if c.program = program(c.context, 1, &at, &length, &code); code != 0 {
		return nil, fmt.Errorf("OpenCL program: %d", code)
	}
	if code := build(c.program, 1, &device, "-cl-std=CL1.2 "+options, nil, nil); code != 0 {
		return nil, fmt.Errorf("OpenCL build: %d", code)
	}
	return c, nil
}

// prepare returns a function that launches a case, and one that reads a buffer.
func (c *openCL) prepare(b *benchCase) (launch func() error, read func(i int) []byte, err error) {
	name, grid, group, buffers := b.name, b.grid, b.group, b.buffers
	var code int32
	k := c.kernel(c.program, name, &code)
	if code != 0 {
		return nil, nil, fmt.Errorf("OpenCL kernel %s: %d", name, code)
	}
	mems, texture := make([]uintptr, len(buffers)), b.onTexture()
	for i, b := range buffers {
		const copyHost = 1 << 5
		if i == 1 && texture {
			const image2D, red, float = 0x10f1, 0x10b0, 0x10de
			shape := &imageShape{kind: image2D, width: uintptr(grid[0]), height: uintptr(grid[1])}
			mems[i] = c.createImage(c.context, copyHost, &[2]uint32{red, float}, shape, unsafe.Pointer(&b[0]), &code)
		} else {
			mems[i] = c.createBuffer(c.context, copyHost, uintptr(len(b)), unsafe.Pointer(&b[0]), &code)
		}
		if code != 0 {
			return nil, nil, fmt.Errorf("OpenCL buffer: %d", code)
		}
		if code := c.setArg(k, uint32(i), 8, unsafe.Pointer(&mems[i])); code != 0 {
			return nil, nil, fmt.Errorf("OpenCL argument %d: %d", i, code)
		}
	}
	global, local := [3]uintptr{}, [3]uintptr{}
	for i := range 3 {
		local[i] = uintptr(max(group[i], 1))
		global[i] = (uintptr(max(grid[i], 1)) + local[i] - 1) / local[i] * local[i]
	}
	launch = func() error {
		if code := c.enqueue(c.queue, k, 3, nil, &global, &local, 0, nil, nil); code != 0 {
			return fmt.Errorf("OpenCL launch of %s: %d", name, code)
		}
		if code := c.finish(c.queue); code != 0 {
			return errors.New("OpenCL finish")
		}
		return nil
	}
	read = func(i int) []byte {
		b := make([]byte, len(buffers[i]))
		c.read(c.queue, mems[i], 1, 0, uintptr(len(b)), unsafe.Pointer(&b[0]), 0, nil, nil)
		return b
	}
	return launch, read, nil
}
