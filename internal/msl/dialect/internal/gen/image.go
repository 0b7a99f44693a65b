package main

import (
	"fmt"
	"strings"
)

// image is a type of images of OpenCL C: Metal's class, the coordinates of OpenCL C in integers and
// in floats, and how Metal's functions take them.
type image struct {
	name, class, ints, floats string
	at                        string // of access by integers
	sampled                   string // of access by a sampler
	layered                   bool
}

var images = []image{
	{"image1d_t", "texture1d", "int", "float", "uint(at)", "at", false},
	{"image1d_array_t", "texture1d_array", "int2", "float2", "uint(at.x), uint(at.y)",
		"at.x, layer_of(at.y, image.get_array_size())", true},
	{"image1d_buffer_t", "texture_buffer", "int", "", "uint(at)", "", false},
	{"image2d_t", "texture2d", "int2", "float2", "uint2(at)", "at", false},
	{"image2d_array_t", "texture2d_array", "int4", "float4", "uint2(at.xy), uint(at.z)",
		"at.xy, layer_of(at.z, image.get_array_size())", true},
	{"image3d_t", "texture3d", "int4", "float4", "uint3(at.xyz)", "at.xyz", false},
}

// reads are the suffixes of read_image and write_image, and the components that images have
// then.
var reads = []struct{ suffix, elem, v string }{
	{"f", "float", "float4"}, {"i", "int", "int4"}, {"ui", "uint", "uint4"}, {"h", "half", "half4"},
}

// openclImages returns the functions of images.
func openclImages() string {
	var b strings.Builder
	b.WriteString("// Images.\n\ntypedef metal::sampler sampler_t;\n\n" +
		"inline uint layer_of(float at, uint layers) { return uint(metal::clamp(rint(at), 0.0f, " +
		"float(layers) - 1)); }\n\n")
	for _, m := range images {
		access := "access::sample"
		if m.floats == "" {
			access = "access::read"
		}
		fmt.Fprintf(&b, "typedef %s<float, %s> %s;\n\n", m.class, access, m.name)
		for _, r := range reads {
			if m.floats != "" {
				fmt.Fprintf(&b, "inline %s read_image%s(%s<%s, access::sample> image, sampler by, %s at) {\n"+
					"  return image.sample(by, %s);\n}\n\n", r.v, r.suffix, m.class, r.elem, m.floats, m.sampled)
				middle := m.floats + "(at) + 0.5f"
				if m.layered { // a layer has no middle
					middle = "float2(at.x + 0.5f, at.y)"
					if m.ints == "int4" {
						middle = "float4(float2(at.xy) + 0.5f, at.z, 0)"
					}
				}
				fmt.Fprintf(&b, "inline %s read_image%s(%s<%s, access::sample> image, sampler by, %s at) {\n"+
					"  return read_image%[2]s(image, by, %[6]s);\n}\n\n", r.v, r.suffix, m.class, r.elem, m.ints,
					middle)
			}
			for _, a := range []string{access, "access::read_write"} {
				fmt.Fprintf(&b, "inline %s read_image%s(%s<%s, %s> image, %s at) { return image.read(%s); }\n\n",
					r.v, r.suffix, m.class,
					r.elem, a, m.ints, m.at)
			}
			for _, a := range words("access::write access::read_write") {
				fmt.Fprintf(&b, "inline void write_image%s(%s<%s, %s> image, %s at, %s color) { image.write(color, %s); }\n\n",
					r.suffix,
					m.class, r.elem, a, m.ints, r.v, m.at)
			}
		}
		size := func(name, metal string) {
			fmt.Fprintf(&b, "template <class T, access A> inline int get_image_%s(%s<T, A> image) { return "+
				"int(image.%s()); }\n\n", name,
				m.class, metal)
		}
		size("width", "get_width")
		flat := strings.Contains(m.name, "2d") || strings.Contains(m.name, "3d")
		if flat {
			size("height", "get_height")
		}
		if m.layered {
			fmt.Fprintf(&b, "template <class T, access A> inline size_t get_image_array_size(%s<T, A> image) {\n"+
				"  return image.get_array_size();\n}\n\n", m.class)
		}
		dim, sizes := "int2", "image.get_width(), image.get_height()"
		if m.name == "image3d_t" {
			size("depth", "get_depth")
			dim, sizes = "int4", sizes+", image.get_depth(), 0"
		}
		if flat {
			fmt.Fprintf(&b, "template <class T, access A> inline %[1]s get_image_dim(%[2]s<T, A> image) { return "+
				"%[1]s(%[3]s); }\n\n", dim,
				m.class, sizes)
		}
	}
	return b.String()
}
