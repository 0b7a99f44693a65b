// Package tokenizer turns text into the tokens of language models and back, as llama.cpp and
// Hugging Face's tokenizers do.
//
//	f, err := gguf.Open("llama.gguf")
//	t, err := tokenizer.FromGGUF(f)
//	ids := t.Encode("And God said, Let there be light", tokenizer.EncodeOptions{AddSpecial: true})
//	text, err := t.Decode(ids, tokenizer.DecodeOptions{})
//
// A tokenizer comes from the metadata of a GGUF file, see [FromGGUF], or from a tokenizer.json, see
// [FromJSON]. The kinds are byte-level byte-pair encoding with the pre-tokenizers of GPT-2, Llama
// 3, Qwen and some sixty others, SentencePiece's byte-pair encoding with scores and bytes for what
// the vocabulary lacks (Llama 2, Gemma, Phi-3), its unigram model (T5, XLM-RoBERTa), and BERT's
// WordPiece. What a file names and this package does not know is refused by name.
//
// # Special tokens
//
// Encode adds no token such as BOS, and takes the text of a control token such as "<|im_end|>" for
// text, unless [EncodeOptions] say otherwise. llama.cpp's function has the same defaults; its
// programs set both. Tokens that a file calls user defined are always found.
//
// # What comes back
//
// Decode returns exactly the text that was encoded if the vocabulary has tokens for all bytes and
// nothing normalizes the text, as for most models that generate text. U+2581 in a text comes back
// as a space from SentencePiece's vocabularies. Unigram models, BERT's and those with a normalizer
// return what the model sees.
//
// [Tokenizer.NewStream] decodes tokens as they are generated, and holds back characters of which
// only a part has come.
package tokenizer
