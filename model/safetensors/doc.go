// Package safetensors reads and writes safetensors files, in which Hugging Face and MLX keep the
// weights of models: named tensors, and strings about them.
//
//	f, err := safetensors.Open("model.safetensors") // or model.safetensors.index.json
//	defer f.Close()
//	w := f.Tensor("model.embed_tokens.weight")
//	fmt.Println(w.Type, w.Shape, len(w.Bytes()))
//
// A file is mapped, not read, and [Tensor.Bytes] is memory of the mapping. A model in several files
// is opened by its index, model.safetensors.index.json, and is one File.
//
// # Broken files
//
// Everything is checked before the first tensor can be read: an error names the file, the offset,
// the field, its value and the limit, and wraps [ErrFormat]. As the format demands, a header begins
// with '{' and has at most 100,000,000 bytes, names are there once, and tensors cover the rest of
// the file without holes. A model has at most 131,072 tensors, and the files of an index are beside
// it.
//
// The format: https://github.com/huggingface/safetensors.
package safetensors
