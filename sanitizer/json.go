package sanitizer

import "encoding/json"

type jsonFinding struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	jsonAccess
	Memory string      `json:"memory,omitempty"`
	Label  string      `json:"label,omitempty"`
	Offset uint64      `json:"offset"`
	Size   int         `json:"size"`
	Advice string      `json:"advice,omitempty"`
	Other  *jsonAccess `json:"other"`
}

type jsonAccess struct {
	Kernel string      `json:"kernel"`
	File   string      `json:"file"`
	Line   int         `json:"line"`
	Column int         `json:"column"`
	Thread *jsonThread `json:"thread"`
	Does   string      `json:"does"`

	Command string `json:"command,omitempty"`
	Type    string `json:"type,omitempty"`
	Value   string `json:"value,omitempty"`
}

type jsonThread struct {
	Threadgroup [3]int `json:"threadgroup"`
	Position    [3]int `json:"position"`
	Index       int    `json:"index"`
	Lane        int    `json:"lane"`
}

func (a *Access) json() jsonAccess {
	x := jsonAccess{Kernel: a.Kernel, File: a.File, Line: a.Line, Column: a.Column, Does: a.Does, Command: a.Command,
		Type: a.Value.Type, Value: a.Value.Text}
	if t := a.Thread; t.Known {
		x.Thread = &jsonThread{t.Threadgroup, t.Position, t.Index, t.Lane()}
	}
	return x
}

func (x *jsonAccess) access() Access {
	a := Access{Kernel: x.Kernel, Place: Place{x.File, x.Line, x.Column}, Does: x.Does, Command: x.Command,
		Value: Value{x.Type, x.Value}}
	if t := x.Thread; t != nil {
		a.Thread = Thread{Known: true, Threadgroup: t.Threadgroup, Position: t.Position, Index: t.Index}
	}
	return a
}

// MarshalJSON returns an object with kind, message, kernel, file, line, column, thread, does,
// memory, offset, size, advice and other, which is null or has kernel, file, line, column, thread
// and does of the other access. An unknown thread is null. label is there for labeled buffers,
// command of both accesses for a race between commands, type and value of an access whose value is
// known.
func (f *Finding) MarshalJSON() ([]byte, error) {
	x := jsonFinding{Kind: f.Kind.String(), Message: f.Message, jsonAccess: f.json(), Memory: f.Memory, Label: f.Label,
		Offset: f.Offset,
		Size:   f.Size, Advice: f.Advice}
	if f.Other != nil {
		o := f.Other.json()
		x.Other = &o
	}
	return json.Marshal(x)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var x jsonFinding
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	kind, err := Parse(x.Kind)
	if err != nil {
		return err
	}
	*f = Finding{Kind: kind, Message: x.Message, Access: x.access(), Memory: x.Memory, Label: x.Label,
		Offset: x.Offset, Size: x.Size,
		Advice: x.Advice}
	if x.Other != nil {
		o := x.Other.access()
		f.Other = &o
	}
	return nil
}
