// Package model runs language models from the files that people have: GGUF and safetensors.
//
//	m, err := model.Open(ctx, engine, "llama.gguf", model.Options{})
//	defer m.Close(ctx)
//	seq, err := m.NewSequence()
//	defer seq.Close()
//	for token, err := range seq.Generate(ctx, prompt, model.Generation{Tokens: 100}) { ... }
//
// Weights stay as they are in the file, packed into a few bits each, and are not copied: the device
// reads the mapped file. Several sequences share them; [Model.Step] computes a token of each at
// once.
//
// # Architectures
//
// [Architectures] lists what is known: llama and what shares its graph (mistral, mixtral, smollm,
// tinyllama), qwen2 and qwen3 with their mixtures of experts, gemma to gemma3, phi3, bitnet as
// llama.cpp and as bitnet.cpp have it, gpt2, and bert for embeddings. Others are refused by name.
package model
