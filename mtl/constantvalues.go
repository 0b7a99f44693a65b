package mtl

import (
	"encoding/binary"
	"reflect"

	"github.com/puremetal/puremetal/simd/float16"
)

// MaxFunctionConstantIndex is the largest index that the Metal language allows for a function
// constant.
const MaxFunctionConstantIndex = 65535

// Half is a 16-bit floating-point number, for function constants of type half.
type Half = float16.Half

// BFloat is a bfloat16 number, for function constants of type bfloat.
type BFloat = float16.BFloat16

// Set sets the function constant at an index. The value is a bool, int8, uint8, int16, uint16,
// int32, uint32, int64, uint64, float32, [Half] or [BFloat], or an array of 2, 3 or 4 of these for
// a vector, and its type must be the constant's. Any other type is an error wrapping [ErrArgument],
// including int, whose size MSL does not have. An index that no constant can have is an error
// wrapping [ErrIndex].
//
//	-[MTLFunctionConstantValues setConstantValue:type:atIndex:]
func (o FunctionConstantValues) Set(index uint, value any) error {
	const c = check("-[MTLFunctionConstantValues setConstantValue:type:atIndex:]")
	if err := c.receiver(&zmethods[mFunctionConstantValuesSetConstantValue], o.ID()); err != nil {
		return err
	}
	if err := c.atMost("index", uint64(index), MaxFunctionConstantIndex, ErrIndex); err != nil {
		return err
	}
	typ, data, err := c.constant(value)
	if err != nil {
		return err
	}
	sendFunctionConstantValuesSetConstantValue(o, data, typ, index)
	return nil
}

// SetNamed sets the function constant with a name, under the rules of [FunctionConstantValues.Set].
//
//	-[MTLFunctionConstantValues setConstantValue:type:withName:]
func (o FunctionConstantValues) SetNamed(name string, value any) error {
	const c = check("-[MTLFunctionConstantValues setConstantValue:type:withName:]")
	if err := c.receiver(&zmethods[mFunctionConstantValuesSetConstantValueWithName], o.ID()); err != nil {
		return err
	}
	if err := c.name("constant name", name); err != nil {
		return err
	}
	typ, data, err := c.constant(value)
	if err != nil {
		return err
	}
	sendFunctionConstantValuesSetConstantValueWithName(o, data, typ, name)
	return nil
}

// SetRange sets consecutive function constants, starting at index first, to the elements of a slice
// whose element type [FunctionConstantValues.Set] accepts.
//
//	-[MTLFunctionConstantValues setConstantValues:type:withRange:]
func (o FunctionConstantValues) SetRange(first uint, values any) error {
	const c = check("-[MTLFunctionConstantValues setConstantValues:type:withRange:]")
	if err := c.receiver(&zmethods[mFunctionConstantValuesSetConstantValues], o.ID()); err != nil {
		return err
	}
	typ, data, n, err := c.constantSlice(values)
	if err != nil {
		return err
	}
	if err := c.atMost("last index", addSat(uint64(first), n-1), MaxFunctionConstantIndex, ErrIndex); err != nil {
		return err
	}
	sendFunctionConstantValuesSetConstantValues(o, data, typ, Range{Location: first, Length: uint(n)})
	return nil
}

// constantScalar returns the data type of a scalar. The data types of its vectors follow it.
func constantScalar(t reflect.Type) (DataType, bool) {
	switch reflect.Zero(t).Interface().(type) {
	case bool:
		return DataTypeBool, true
	case int8:
		return DataTypeChar, true
	case uint8:
		return DataTypeUChar, true
	case int16:
		return DataTypeShort, true
	case uint16:
		return DataTypeUShort, true
	case int32:
		return DataTypeInt, true
	case uint32:
		return DataTypeUInt, true
	case int64:
		return DataTypeLong, true
	case uint64:
		return DataTypeULong, true
	case float32:
		return DataTypeFloat, true
	case Half:
		return DataTypeHalf, true
	case BFloat:
		return DataTypeBFloat, true
	}
	return DataTypeNone, false
}

// constantType returns the data type for a Go type, and the padding of a vector of three in bytes.
func (c check) constantType(t reflect.Type) (typ DataType, padding int, err error) {
	if t == nil {
		return 0, 0, c.fail(ErrArgument, "no value")
	}
	elem, n := t, 1
	if t.Kind() == reflect.Array {
		elem, n = t.Elem(), t.Len()
	}
	typ, ok := constantScalar(elem)
	if !ok || n > 4 || t.Kind() == reflect.Array && n < 2 {
		return 0, 0, c.fail(ErrArgument,
			"a value of type %v, want bool, a number of fixed size or an array of 2 to 4 of them", t)
	}
	if n == 3 {
		padding = int(elem.Size())
	}
	return typ + DataType(n-1), padding, nil
}

// constant returns a value in MSL's memory layout.
func (c check) constant(value any) (DataType, []byte, error) {
	typ, padding, err := c.constantType(reflect.TypeOf(value))
	if err != nil {
		return 0, nil, err
	}
	data, err := binary.Append(nil, binary.LittleEndian, value)
	if err != nil {
		return 0, nil, c.fail(ErrArgument, "%v", err)
	}
	return typ, append(data, make([]byte, padding)...), nil
}

// constantSlice returns the elements of a slice in the layout of an MSL array, and their number.
func (c check) constantSlice(values any) (DataType, []byte, uint64, error) {
	v := reflect.ValueOf(values)
	if v.Kind() != reflect.Slice {
		return 0, nil, 0, c.fail(ErrArgument, "a %T, want a slice", values)
	}
	typ, _, err := c.constantType(v.Type().Elem())
	if err != nil {
		return 0, nil, 0, err
	}
	if v.Len() == 0 {
		return 0, nil, 0, c.fail(ErrLength, "no values")
	}
	var data []byte
	for i := range v.Len() {
		_, one, err := c.constant(v.Index(i).Interface())
		if err != nil {
			return 0, nil, 0, err
		}
		data = append(data, one...)
	}
	return typ, data, uint64(v.Len()), nil
}
