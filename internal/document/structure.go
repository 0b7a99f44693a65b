package document

import (
	"bytes"
	"encoding/json"
)

// Structure checks the depth at a place of a document and the number of values up to there.
func (k Kind) Structure(depth, values int) error {
	if k.Depth > 0 && depth > k.Depth {
		return k.refuse("%s may have tables, lists and parts of keys at most %d deep", k.Name, k.Depth)
	}
	if k.Values > 0 && values > k.Values {
		return k.refuse("%s may have at most %d values", k.Name, k.Values)
	}
	return nil
}

// JSON checks the depth and the number of values of a JSON text, and decodes it. Decoding a short
// text can take much memory: each element of a list becomes a structure.
func (k Kind) JSON(text []byte, into any) error {
	if int64(len(text)) > k.Size {
		return k.tooLarge()
	}
	depth, values := 0, 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i)
			continue
		case '{', '[':
			depth++
			values++
		case '}', ']':
			depth--
			continue
		case ',':
			values++
		default:
			continue
		}
		if err := k.Structure(depth, values); err != nil {
			return err
		}
	}
	return json.Unmarshal(text, into)
}

// endOfString returns the index of the quotation mark that ends the string at a place, or of the
// text's end.
func endOfString(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at
}

// startOfScan is the marker in front of each scan of a JPEG image.
var startOfScan = []byte{0xff, 0xda}

// Picture checks the number of pixels of an image, and of the scans if it is a JPEG image: a
// progressive one of a few kilobytes can have thousands, and each takes as long as decoding the
// image.
func (k Kind) Picture(data []byte, width, height int) error {
	if width < 1 || height < 1 || width > k.Values/height {
		return k.refuse("%d x %d pixels; %s may have at most %d", width, height, k.Name, k.Values)
	}
	if !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
		return nil
	}
	if n := bytes.Count(data, startOfScan); n > k.Scans {
		return k.refuse("the image has %d scans; %s may have at most %d", n, k.Name, k.Scans)
	}
	return nil
}
