// Package gguf reads and writes GGUF files, in which llama.cpp and others keep language models:
// metadata, and tensors whose elements are often packed into a few bits.
//
//	f, err := gguf.Open("llama.gguf")
//	defer f.Close()
//	layers, err := f.Uint("llama.block_count")
//	w := f.Tensor("token_embd.weight")
//	fmt.Println(w.Type, w.Shape, len(w.Bytes()))
//
// A file is mapped, not read: opening a model of many gigabytes takes milliseconds, and
// [Tensor.Bytes] is memory of the mapping. A model that is split over several files
// (name-00001-of-00003.gguf) is opened by the name of the first, and is one File.
//
// # Broken files
//
// Everything in a file is checked before memory is allocated for it, and before the first tensor
// can be read: an error names the file, the offset, the field, its value and the limit, and wraps
// [ErrFormat]. Versions 2 and 3 of the format are read, in little-endian order; others are refused.
// So are files with more than 64 MiB before the tensors' data, 65,536 keys, 4,194,304 elements of
// arrays or 131,072 tensors, which is far from what models have. All text is UTF-8.
//
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
package gguf
